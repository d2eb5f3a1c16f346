import { BYSTANDER } from '../support/bystander.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { startCommand } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { jsonLines } from '../support/json-lines.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { emptyDatabase, freshDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'order-sync-shops-'));
  await writeFile(join(folder, 'right.key'), 'simulated-key\n');
  await writeFile(join(folder, 'wrong.key'), 'not-the-key\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Entry = {
  readonly key: string;
  readonly simulator: Simulator;
  readonly keyFile?: string;
  readonly freshness?: string;
  readonly pii?: string;
};

/** Settings that name a shops file with these shops. */
async function settingsOf(name: string, entries: readonly Entry[], databaseUrl: string) {
  const shops = entries.map(
    ({ key, simulator, keyFile = 'right.key', freshness = '*:1h', pii = '' }) => `
  - key: ${key}
    url: ${simulator.url}
    freshness: '${freshness}'
    apiKeyFile: ${keyFile}${pii}`,
  );
  const defaults = 'defaults: {login: admin, timezone: Europe/Berlin, maxConcurrency: 8, maxRps: 100000}';
  await writeFile(join(folder, name), `${defaults}\nshops:${shops.join('')}\n`);
  return { SHOPS_FILE: join(folder, name), DATABASE_URL: databaseUrl };
}

function ordersByShop(databaseUrl: string): Promise<unknown[]> {
  const query =
    'SELECT shop_key, count(*)::int AS orders FROM tested.orders JOIN tested.shops USING (shop_id) GROUP BY 1 ORDER BY 1';
  return withClient(databaseUrl, async (client) => (await client.query(query)).rows);
}

test('a shop that fails or differs does not stop the others, and the exit code shows it', async () => {
  await using north = await startSimulator({ orders: 12, days: 4, seed: 1 });
  await using south = await startSimulator({ orders: 8, days: 4, seed: 2 });
  await using database = await freshDatabase();
  const good = [
    { key: 'north', simulator: north },
    { key: 'south', simulator: south, freshness: '*:1m' },
  ];
  await using other = await startSimulator({ orders: 5, days: 2 });
  const bad = { key: 'worst', simulator: other, keyFile: 'wrong.key' };
  const env = await settingsOf('bad.yaml', [bad, ...good], database.url);

  const backfill = await runInProcess(['backfill', '--json'], env);
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
  expect(await ordersByShop(database.url)).toEqual([
    { shop_key: 'north', orders: 12 },
    { shop_key: 'south', orders: 8 },
  ]);

  await withClient(database.url, (client) =>
    client.query(`DELETE FROM tested.orders WHERE (shop_id, order_id) IN (
      SELECT shop_id, min(order_id) FROM tested.orders JOIN tested.shops USING (shop_id)
      WHERE shop_key = 'north' GROUP BY 1)`),
  );
  const goodEnv = await settingsOf('good.yaml', good, database.url);
  const [one, check] = await Promise.all([
    runInProcess(['sync', '--shop', 'south', '--json'], env),
    runInProcess(['check'], goodEnv),
  ]);
  expect(one, one.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(one.stdout)).toMatchObject({ shop: 'south', status: 'ok' });
  expect(check, check.stderr).toMatchObject({ code: 0 });
  expect(check.stdout).toMatch(/Settings: ok, shop north [^]*shop south /);
  // Whichever answers first.
  for (const shop of ['north', 'south']) expect(check.stdout).toContain(`\nShop ${shop}\n`);
  const wrong = await runInProcess(['verify', '--from', '2199-01-01'], goodEnv);
  expect(wrong, 'what is wrong for every shop is said once').toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^--from 2199-01-01 is in the future: .*\n$/),
  });
  const verify = await runInProcess(['verify', '--json'], goodEnv);
  expect(verify, verify.stderr).toMatchObject({ code: 4 });
  expect(jsonLines(verify.stdout)).toMatchObject([
    { shop: 'north', differences: [{ kind: expect.any(String) }] },
    { shop: 'south', differences: [] },
  ]);
  const status = await runInProcess(['status', '--json'], goodEnv);
  // No worker watches them, so their targets follow how often they were swept.
  expect(jsonLines(status.stdout)).toMatchObject([
    { shop: 'worst' },
    { shop: 'north', newest_target_seconds: 86_400 },
    { shop: 'south', newest_target_seconds: 43_200 },
  ]);
  const dashboard = await runInProcess(['status'], goodEnv);
  expect(dashboard.stdout).toMatch(
    /^3 shops, 1 failing\.\n[^]*^worst +failing[^]*^north +[^]*^Shop worst .*: failing.*\n {2}ERROR: The last backfill failed: .*does not accept the login[^]*^Shop north/m,
  );
  const targets = await withClient(database.url, (client) =>
    client.query(
      `SELECT DISTINCT shop, freshness_target::text AS target FROM bi.completeness WHERE is_verified AND shop <> '${BYSTANDER}' ORDER BY shop`,
    ),
  );
  expect(targets.rows).toEqual([
    { shop: 'north', target: '1 day' },
    { shop: 'south', target: '12:00:00' },
  ]);
});

test('a shop that is not configured, and a command for one shop without --shop, are usage errors', async () => {
  await using shop = await startSimulator({ orders: 5, days: 2 });
  const entries = [
    { key: 'north', simulator: shop },
    { key: 'other', simulator: shop, keyFile: 'wrong.key' },
  ].map((entry, index) => ({ ...entry, simulator: { ...shop, url: `${shop.url}/${index}` } }));
  const env = await settingsOf('usage.yaml', entries, 'postgres://127.0.0.1:9/unused');
  const [unknown, undecided] = await Promise.all([
    runInProcess(['sync', '--shop', 'south'], env),
    runInProcess(['login-link', '--login', 'x'], env),
  ]);
  expect(unknown).toMatchObject({
    code: 2,
    stderr: 'There is no shop south: the settings have north, other.\n',
  });
  expect(undecided).toMatchObject({
    code: 2,
    stderr: '--shop KEY is needed to choose one; the settings have north, other.\n',
  });
});

test('an interrupt ends all shops with 130, not only the current one', async () => {
  await using first = await startSimulator({ orders: 200, days: 10, latencyMs: 20 });
  await using second = await startSimulator({ orders: 5, days: 2 });
  await using database = await freshDatabase();
  const entries = [
    { key: 'first', simulator: first },
    { key: 'second', simulator: second },
  ];
  const running = startCommand(['backfill'], await settingsOf('slow.yaml', entries, database.url));
  await until('20 orders are asked for', () => first.requests.count('order') >= 20);
  running.process.kill('SIGTERM');
  const outcome = await running.outcome;
  expect(outcome, outcome.stderr).toMatchObject({ code: 130 });
  expect(outcome.stderr).toContain('Interrupted.');
  expect(second.requests.count('orders')).toBe(0);
});

test('what is stored of a shop is read again by its own PII_MODE and PII_SECRET', async () => {
  await using north = await startSimulator({ orders: 20, days: 3, seed: 1 });
  await using other = await startSimulator({ orders: 20, days: 3, seed: 2 });
  await using database = await freshDatabase();
  const entries = [
    { key: 'north-2', simulator: other, pii: '\n    piiMode: pseudonymize\n    piiSecret: another secret' },
    { key: 'north', simulator: north, pii: '\n    piiSecret: secret of north' },
  ];
  const env = await settingsOf('pii.yaml', entries, database.url);
  expect(await runInProcess(['backfill'], env)).toMatchObject({ code: 0 });
  const persons = async () =>
    withClient(database.url, async (client) => {
      const { rows } = await client.query(
        `SELECT o.shop_id, o.order_id, o.customer_key, p.buyer_email FROM tested.orders o
         LEFT JOIN core.order_persons p USING (shop_id, order_id) ORDER BY 1, 2`,
      );
      return rows;
    });
  const before = await persons();
  expect(before.filter(({ buyer_email: email }) => email !== null).length).toBeGreaterThan(10);
  expect(await runInProcess(['replay', '--rekey', '--shop', 'north'], env)).toMatchObject({ code: 0 });
  expect(await persons()).toEqual(before);
});

test('a replay of all shops is incomplete where the first one was, though the last one was not', async () => {
  await using north = await startSimulator({ orders: 5, days: 2, seed: 1 });
  await using south = await startSimulator({ orders: 5, days: 2, seed: 2 });
  await using database = await emptyDatabase();
  const shops = [
    { key: 'north', simulator: north },
    { key: 'south', simulator: south },
  ];
  const env = await settingsOf('replay.yaml', shops, database.url);
  expect(await runInProcess(['backfill'], env)).toMatchObject({ code: 0 });
  await withClient(database.url, (client) =>
    client.query(`UPDATE raw.orders SET payload = payload || '{"summ": "free"}' WHERE (shop_id, order_id) IN (
      SELECT shop_id, order_id FROM raw.orders ORDER BY 1, 2 LIMIT 1)`),
  );
  const { code, stdout } = await runInProcess(['replay', '--json'], env);
  expect(jsonLines(stdout)).toMatchObject([{ status: 'partial' }, { status: 'ok' }]);
  expect(code).toBe(3);
});

test('check fails where any shop does, however late another one ends well', async () => {
  await using north = await startSimulator({ orders: 5, days: 2, latencyMs: 200 });
  await using south = await startSimulator({ orders: 5, days: 2 });
  await using database = await freshDatabase();
  const shops = [
    { key: 'north', simulator: north },
    { key: 'south', simulator: south, keyFile: 'wrong.key' },
  ];
  expect(await runInProcess(['check'], await settingsOf('late.yaml', shops, database.url))).toMatchObject({
    code: 1,
  });
});
