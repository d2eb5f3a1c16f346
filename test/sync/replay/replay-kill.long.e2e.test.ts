import { hostname } from 'node:os';

import { Client } from 'pg';
import { expect, test } from 'vitest';

import { NORMALIZER_VERSION } from '../../../src/normalize/normalizer-version.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { openDatabase } from '../../../src/warehouse/db/database.ts';
import { runCommand, startCommand } from '../../support/command-line.ts';
import { freshDatabase } from '../../support/database.ts';
import { startDatabaseProxy, type Statement } from '../../support/database-proxy.ts';
import { atStatement, kill, untilReached } from '../../support/kill.ts';
import { sweepOnce } from '../../support/sweep.ts';

const ORDERS = 'INSERT INTO "core"."orders"';
const isCommitOfOrders = ({ text, before }: Statement) =>
  text === 'commit' && before.some((earlier) => earlier.startsWith(ORDERS));

/** Makes a shop of 30 orders one of 630, of which all but the 30 are in raw alone. */
const MULTIPLY = ['orders', 'order_contents'].map(
  (table) => `
  INSERT INTO tested.raw_${table} (shop_id, order_id, payload, fetched_at)
  SELECT shop_id, order_id + 1000000 * copy,
    CASE WHEN payload ? 'order_id' THEN jsonb_set(payload, '{order_id}', to_jsonb(order_id + 1000000 * copy)) ELSE payload END,
    fetched_at
  FROM tested.raw_${table}, generate_series(1, 20) AS copy`,
);
const SPOIL = `
  UPDATE tested.orders SET order_sum = -1, delivery_name = 'spoilt';
  UPDATE tested.order_persons SET comment = 'spoilt';
  UPDATE tested.order_history SET order_sum = -1;
  DELETE FROM tested.order_lines WHERE order_id % 2 = 0;
  UPDATE tested.users SET level = -1 WHERE fetch_state = 'ok'`;

test('a killed replay resumes where it stopped, with the result of an uninterrupted one; meanwhile the shop is locked', async () => {
  await using database = await freshDatabase();
  await using proxy = await startDatabaseProxy(database.url);
  await using simulator = await startSimulator({ orders: 30, days: 3, seed: 3 });
  {
    await using opened = await openDatabase(database.url);
    await sweepOnce(simulator, opened.db);
  }
  simulator.requests.reset();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    for (const statement of MULTIPLY) await client.query(statement);
    // Neither an address nor credentials of the shop.
    const env = (url: string) => ({ DATABASE_URL: url, PII_SECRET: 'test' });
    const whole = await runCommand(['replay', '--shop', 'test', '--json'], env(database.url));
    expect(whole, whole.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(whole.stdout)).toMatchObject({
      resumed_from: null,
      orders_added: 600,
      rejections_new: 0,
    });
    const expected = await contents(client);
    expect(expected['tested.orders']).toHaveLength(630);

    await client.query(SPOIL);
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    atStatement('after', isCommitOfOrders)({ simulator, proxy }, async () => {
      held.resolve();
      await released.promise;
      return 'deliver';
    });
    const first = startCommand(['replay', '--shop', 'test'], env(proxy.url));
    await untilReached(first, held.promise);
    const other = await runCommand(['replay', '--shop', 'test'], env(database.url));
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).toContain(`Shop test is being synced by ${hostname()}:${first.process.pid}`);
    await kill(first);
    released.resolve();

    const spoilt = async () =>
      (await client.query('SELECT order_id::text FROM tested.orders WHERE order_sum = -1 ORDER BY order_id'))
        .rows;
    expect(await spoilt()).toHaveLength(130);
    // Spoilt once more: a second look at what is done would mend it.
    const { rows: done } = await client.query(
      `UPDATE tested.orders SET color = 'spoilt' WHERE order_sum <> -1 RETURNING order_id`,
    );
    expect(done).toHaveLength(500);
    const second = await runCommand(['replay', '--shop', 'test', '--json'], env(database.url));
    expect(second, second.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(second.stdout)).toMatchObject({
      status: 'ok',
      resumed_from: { stage: 'orders', records_done: 500 },
      orders_added: 0,
      orders_changed: 130,
    });
    const { rows: untouched } = await client.query(`SELECT FROM tested.orders WHERE color = 'spoilt'`);
    expect(untouched).toHaveLength(500);

    const third = await runCommand(['replay', '--shop', 'test'], env(database.url));
    expect(third.stdout).toMatch(
      new RegExp(`normalized again by normalizer ${NORMALIZER_VERSION} .*\\n.*500 corrected`),
    );
    expect(await contents(client)).toEqual(expected);
    const { rows: runs } = await client.query(
      'SELECT kind, status FROM tested.runs ORDER BY run_id OFFSET 1',
    );
    const statuses = ['ok', 'abandoned', 'ok', 'ok'];
    expect(runs).toEqual(statuses.map((status) => ({ kind: 'replay', status })));
    expect(simulator.requests.counts()).toEqual({});
  } finally {
    await client.end();
  }
});

/** All rows of core, as text. */
async function contents(client: Client): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const tables = ['orders', 'order_lines', 'order_history', 'users', 'user_groups'].map(
    (name) => `tested.${name}`,
  );
  const found: [string, readonly unknown[]][] = [];
  for (const table of tables) {
    // When an order was last written is another time with every run.
    const { rows } = await client.query(
      `SELECT (to_jsonb(t) - 'changed_at')::text AS t FROM ${table} t ORDER BY 1`,
    );
    found.push([table, rows]);
  }
  return Object.fromEntries(found);
}
