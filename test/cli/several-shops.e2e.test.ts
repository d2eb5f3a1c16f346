import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/server.ts';
import { BYSTANDER } from '../support/bystander.ts';
import { startCommand } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { jsonLines } from '../support/json-lines.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { openFolder } from '../support/scratch-folder.ts';
import { emptyDatabase, freshDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

type Entry = {
  readonly key: string;
  readonly shop?: SimulatorOptions;
  /** More settings, by their names in the file. */
  readonly more?: Readonly<Record<string, string>>;
};
const WRONG_KEY = { apiKeyFile: 'wrong.key' };

/** Shops that listen, a warehouse, and settings that name a file with these shops. */
async function openShops(entries: readonly Entry[], open = freshDatabase) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openFolder('shops'));
  await writeFile(join(folder.path, 'right.key'), 'simulated-key\n');
  await writeFile(join(folder.path, 'wrong.key'), 'not-the-key\n');
  const { url } = opened.use(await open());
  const simulators: Simulator[] = [];
  for (const { shop } of entries)
    simulators.push(opened.use(await startSimulator({ orders: 5, days: 2, ...shop })));
  const defaults = { login: 'admin', timezone: 'Europe/Berlin', maxConcurrency: '8', maxRps: '100000' };
  /** @param left out */
  const settings = async (left = '') => {
    const all = entries.map(({ key, more }, index) => {
      const shop = { key, url: simulators[index]?.url, freshness: '*:1h', apiKeyFile: 'right.key', ...more };
      return shop;
    });
    const file = join(folder.path, `without-${left}.json`);
    const shops = all.filter(({ key }) => key !== left);
    await writeFile(file, JSON.stringify({ defaults, shops }));
    return { SHOPS_FILE: file, DATABASE_URL: url };
  };
  const env = await settings();
  const held = opened.move();
  return {
    simulators,
    env,
    settings,
    run: (line: string, given = env) => runInProcess(line.split(' '), given),
    rows: (text: string): Promise<unknown[]> =>
      withClient(url, async (client) => (await client.query(text)).rows),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

test('a shop that fails or differs does not stop the others, and the exit code shows it', async () => {
  await using shops = await openShops([
    { key: 'worst', more: WRONG_KEY },
    { key: 'north', shop: { orders: 12, days: 4, seed: 1 } },
    { key: 'south', shop: { orders: 8, days: 4, seed: 2 }, more: { freshness: '*:1m' } },
  ]);
  const { run } = shops;
  const backfill = await run('backfill --json');
  expect(backfill.code, backfill.stderr).toBe(1);
  expect(jsonLines(backfill.stdout)).toMatchObject([
    {
      shop: 'worst',
      status: 'failed',
      error: expect.stringMatching(/does not accept the login and API key .*; check both/),
    },
    { shop: 'north', status: 'ok', orders_new: 12 },
    { shop: 'south', status: 'ok', orders_new: 8 },
  ]);
  expect(backfill.stderr).toMatch(/^Shop worst: .*does not accept the login and API key/m);
  expect(`${backfill.stderr}${backfill.stdout}`).not.toContain('not-the-key');
  expect(
    await shops.rows(`SELECT shop_key, count(*)::int AS orders FROM tested.orders JOIN tested.shops USING (shop_id)
      GROUP BY 1 ORDER BY 1`),
  ).toEqual([
    { shop_key: 'north', orders: 12 },
    { shop_key: 'south', orders: 8 },
  ]);

  await shops.rows(`DELETE FROM tested.orders WHERE (shop_id, order_id) IN (
    SELECT shop_id, min(order_id) FROM tested.orders JOIN tested.shops USING (shop_id)
    WHERE shop_key = 'north' GROUP BY 1)`);
  const good = await shops.settings('worst');
  const [one, check] = await Promise.all([run('sync --shop south --json'), run('check', good)]);
  expect(one, one.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(one.stdout)).toMatchObject({ shop: 'south', status: 'ok' });
  expect(check, check.stderr).toMatchObject({ code: 0 });
  expect(check.stdout).toMatch(/Settings: ok, shop north [^]*shop south /);
  for (const shop of ['north', 'south']) expect(check.stdout).toContain(`\nShop ${shop}\n`);
  const runs = () => shops.rows('SELECT run_id FROM tested.runs ORDER BY run_id');
  const before = await runs();
  for (const command of ['verify', 'backfill']) {
    const future = await run(`${command} --from 2199-01-01`, good);
    expect(future, 'what is wrong for every shop is said once').toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^--from 2199-01-01 is in the future: .*\n$/),
    });
  }
  expect(await runs(), 'a mistake on the command line is no failure of the shop').toEqual(before);
  const verify = await run('verify --json', good);
  expect(verify, verify.stderr).toMatchObject({ code: 4 });
  expect(jsonLines(verify.stdout)).toMatchObject([
    { shop: 'north', differences: [{ kind: expect.any(String) }] },
    { shop: 'south', differences: [] },
  ]);
  // No worker watches them, so their targets follow how often they were swept.
  expect(jsonLines((await run('status --json', good)).stdout)).toMatchObject([
    { shop: 'worst' },
    { shop: 'north', newest_target_seconds: 86_400 },
    { shop: 'south', newest_target_seconds: 43_200 },
  ]);
  expect((await run('status', good)).stdout).toMatch(
    /^3 shops, 1 failing\.\n[^]*^worst +failing[^]*^north +[^]*^Shop worst .*: failing.*\n {2}ERROR: The last backfill failed: .*does not accept the login[^]*^Shop north/m,
  );
  expect(
    await shops.rows(
      `SELECT DISTINCT shop, freshness_target::text AS target FROM bi.completeness WHERE is_verified AND shop <> '${BYSTANDER}' ORDER BY shop`,
    ),
  ).toEqual([
    { shop: 'north', target: '1 day' },
    { shop: 'south', target: '12:00:00' },
  ]);
});

test('a shop that is not configured, and a command for one shop without --shop, are usage errors', async () => {
  await using shops = await openShops([{ key: 'north' }, { key: 'other' }]);
  expect(await shops.run('sync --shop south')).toMatchObject({
    code: 2,
    stderr: 'There is no shop south: the settings have north, other.\n',
  });
  expect(await shops.run('login-link --login x')).toMatchObject({
    code: 2,
    stderr: '--shop KEY is needed to choose one; the settings have north, other.\n',
  });
});

test('an interrupt ends all shops with 130, not only the current one', async () => {
  const slow = { orders: 200, days: 10, latencyMs: 20 };
  await using shops = await openShops([{ key: 'first', shop: slow }, { key: 'second' }]);
  const [first, second] = shops.simulators;
  const running = startCommand(['backfill'], shops.env);
  await until('20 orders are asked for', () => (first?.requests.count('order') ?? 0) >= 20);
  running.process.kill('SIGTERM');
  const outcome = await running.outcome;
  expect(outcome, outcome.stderr).toMatchObject({ code: 130 });
  expect(outcome.stderr).toContain('Interrupted.');
  expect(second?.requests.count('orders')).toBe(0);
});

test('a replay of a shop uses its own PII_MODE and PII_SECRET', async () => {
  const [size, other] = [
    { orders: 20, days: 3 },
    { piiMode: 'pseudonymize', piiSecret: 'another secret' },
  ];
  await using shops = await openShops([
    { key: 'north-2', shop: { ...size, seed: 2 }, more: other },
    { key: 'north', shop: { ...size, seed: 1 }, more: { piiSecret: 'secret of north' } },
  ]);
  expect(await shops.run('backfill')).toMatchObject({ code: 0 });
  const persons = () =>
    shops.rows(`SELECT o.shop_id, o.order_id, o.customer_key, p.buyer_email FROM tested.orders o
      LEFT JOIN core.order_persons p USING (shop_id, order_id) ORDER BY 1, 2`);
  const before = await persons();
  expect(JSON.stringify(before).match(/"buyer_email":"/g)?.length).toBeGreaterThan(10);
  expect(await shops.run('replay --rekey --shop north')).toMatchObject({ code: 0 });
  expect(await persons()).toEqual(before);
});

test('a replay of all shops is incomplete where the first one was, though the last one was not', async () => {
  await using shops = await openShops(
    [
      { key: 'north', shop: { seed: 1 } },
      { key: 'south', shop: { seed: 2 } },
    ],
    emptyDatabase,
  );
  expect(await shops.run('backfill')).toMatchObject({ code: 0 });
  await shops.rows(`UPDATE raw.orders SET payload = payload || '{"summ": "free"}' WHERE (shop_id, order_id) IN (
    SELECT shop_id, order_id FROM raw.orders ORDER BY 1, 2 LIMIT 1)`);
  const { code, stdout } = await shops.run('replay --json');
  expect(jsonLines(stdout)).toMatchObject([{ status: 'partial' }, { status: 'ok' }]);
  expect(code).toBe(3);
});

test('check fails where any shop does, however late another one ends well', async () => {
  await using shops = await openShops([
    { key: 'north', shop: { latencyMs: 200 } },
    { key: 'south', more: WRONG_KEY },
  ]);
  expect(await shops.run('check')).toMatchObject({ code: 1 });
});
