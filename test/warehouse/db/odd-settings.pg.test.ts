/** Whatever the role is set to, and whatever stands in front of the server, the copy is the same. */
import { randomBytes } from 'node:crypto';

import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { readShopReports } from '../../../src/sync/report/shop-report.ts';
import { type Database, openDatabase } from '../../../src/warehouse/db/database.ts';
import { runMigrations } from '../../../src/warehouse/db/migrations.ts';
import { registerShop } from '../../../src/warehouse/directory/registered-shops.ts';
import { claimTurn } from '../../../src/warehouse/ops/turns.ts';
import { FIRST_STATE } from '../../support/first-state.ts';
import { inDatabase, withClient } from '../../support/database-clients.ts';
import { freshDatabase } from '../../support/database.ts';
import { makeOdd, PLAIN, READ_SETTINGS } from '../../support/odd-settings.ts';
import { provided } from '../../support/provided.ts';
import { recreateDatabase } from '../../support/recreate-database.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { settingsFor } from '../../support/command-line.ts';
import { startBouncer } from '../../support/pgbouncer.ts';
import { sweepOnce, withoutGroups } from '../../support/sweep.ts';
import { differences } from '../../support/truth.ts';

const SHOWN = `SELECT now()::text ~ '^[0-9-]{10} .*[+]00$' AS iso, (interval '90061 s')::text AS interval,
  0.1::float8::text AS float, '\\x00ff'::bytea::text AS bytes, '{NULL}'::text[] AS nulls, 'ops.migrations'::regclass::text AS name,
  current_setting('transaction_isolation') AS isolation, current_setting('transaction_read_only') AS "readOnly"`;
const EXPECTED = {
  iso: true,
  interval: '25:01:01',
  float: '0.1',
  bytes: '\\x00ff',
  nulls: [null],
  name: 'ops.migrations',
  isolation: 'read committed',
  readOnly: 'off',
};

async function expectPlain(database: Database): Promise<void> {
  const ask = async (text: string) => {
    const { rows } = await database.db.execute(sql.raw(text));
    expect((await database.query(text)).rows).toEqual(rows);
    return await database.db.transaction(async (tx) => (await tx.execute(sql.raw(text))).rows);
  };
  expect(await ask(SHOWN)).toEqual([EXPECTED]);
  const [{ settings } = { settings: {} }] = await ask(READ_SETTINGS);
  // Behind a pooler each transaction begins with the mode that it needs.
  expect(settings).toMatchObject(PLAIN);
}

async function expectExact(url: string, database: Database): Promise<void> {
  await using simulator = await startSimulator({ orders: 40, days: 10, seed: 5 });
  const means = { through: withoutGroups };
  const sweep = () => sweepOnce(simulator, database.db, { kind: 'backfill', force: true }, {}, means);
  const first = await sweep();
  expect(first).toMatchObject({ status: 'ok', orders_new: 40 });
  const again = await sweep();
  expect(again).toMatchObject({ status: 'ok', orders_new: 0, orders_changed: 0 });
  expect(await withClient(url, (client) => differences(client, simulator.shop))).toEqual([]);
  const [report] = await readShopReports(database.db, Temporal.Now.instant());
  expect(report).toMatchObject({ status: { orders: 40, days_unverified: 0 } });
}

test('settings of the role change nothing', async () => {
  await using fresh = await freshDatabase();
  await using plain = await openDatabase(fresh.url, 1);
  await makeOdd(fresh.url);
  await using database = await openDatabase(fresh.url);
  await expectPlain(database);
  expect(database.isPooled).toBe(false);
  await expectExact(quiet(fresh.url), database);
  await expectPlain(plain);
});

test('commands make a warehouse of an empty database and read it, whatever the role is set to', async () => {
  const { serverUrl, prefix } = provided('testDatabases');
  const url = await recreateDatabase(serverUrl, `${prefix}_odd_${randomBytes(6).toString('hex')}`);
  await makeOdd(url);
  await using simulator = await startSimulator({ orders: 40, days: 10, seed: 5 });
  const env = settingsFor(simulator, url);
  const run = async (...args: string[]) => await runInProcess(args, env);
  expect(await run('migrate')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('backfill', '--quiet')).toMatchObject({ code: 0 });
  const query = `SELECT count(*) AS orders, count(*) FILTER (WHERE is_sale) = (SELECT sum(orders) FROM daily_sales) AS agree,
    array['a', NULL]::text AS list FROM orders`;
  expect(await run('sql', query, '--format', 'csv')).toMatchObject({
    code: 0,
    stdout: 'orders,agree,list\n40,true,"{a,NULL}"\n',
  });
  expect(await run('migrate')).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
});

test('settings of the role change nothing behind a pooler either', async (context) => {
  await using fresh = await freshDatabase();
  await makeOdd(fresh.url);
  await using bouncer = await startBouncer(context, fresh.url);
  await using database = await openDatabase(bouncer.url);
  expect(database.isPooled).toBe(true);
  await expectPlain(database);
  await expectExact(quiet(fresh.url), database);
});

test('statements outside of transactions work behind a pooler too', async (context) => {
  await using fresh = await freshDatabase();
  await using bouncer = await startBouncer(context, fresh.url);
  await using database = await openDatabase(bouncer.url);
  expect(database.isPooled).toBe(true);
  await database.db.execute(sql`VACUUM (ANALYZE, SKIP_LOCKED) ops.stale_sums`);
});

/** For the test's own look at the rows. */
function quiet(url: string): string {
  const calm = new URL(url);
  calm.searchParams.set('options', '-c statement_timeout=0 -c datestyle=ISO -c timezone=UTC');
  return calm.href;
}

test('workers claim their shops behind a pooler', async (context) => {
  await using fresh = await freshDatabase();
  await makeOdd(fresh.url);
  await using bouncer = await startBouncer(context, fresh.url);
  await using database = await openDatabase(bouncer.url, 3);
  const { db } = database;
  for (const shopKey of ['a', 'b']) {
    await registerShop(db, { shopKey, baseUrl: `https://${shopKey}.example`, timezone: 'UTC' }, FIRST_STATE);
  }
  const claim = async () => (await claimTurn(db, ['a', 'b'], 'due-first', 'one:1'))?.shopKey;
  expect([await claim(), await claim(), await claim()]).toEqual(['a', 'b', undefined]);
});

test('a database is migrated through a pooler, each migration once, and no lock is left', async (context) => {
  await using fresh = await freshDatabase();
  const empty = `${new URL(fresh.url).pathname.slice(1)}_e`;
  const url = inDatabase(fresh.url, empty);
  await withClient(fresh.url, (client) => client.query(`CREATE DATABASE ${empty}`));
  try {
    await makeOdd(url);
    await using bouncer = await startBouncer(context, url);
    await using database = await openDatabase(bouncer.url);
    const applied = await Promise.all([1, 2, 3].map(() => runMigrations(database)));
    const files = applied.map(({ length }) => length).toSorted((a, b) => a - b);
    expect(files).toEqual([0, 0, expect.any(Number)]);
    expect(Math.max(...files)).toBeGreaterThan(10);
    const { rows } = await database.query(
      `SELECT count(*)::int AS locks FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(rows).toEqual([{ locks: 0 }]);
  } finally {
    await withClient(fresh.url, (client) => client.query(`DROP DATABASE ${empty} WITH (FORCE)`));
  }
});
