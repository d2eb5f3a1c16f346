import { Client } from 'pg';
import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { runCommand, settingsFor, startCommand } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { jsonLines } from '../support/json-lines.ts';
import { freshDatabase } from '../support/database.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { longTest } from '../support/long-test.ts';
import { until } from '../support/until.ts';

test.concurrent('check learns how the shop pages and writes nothing to core', async () => {
  await using simulator = await startSimulator({
    orders: 400,
    days: 30,
    pageCap: 50,
    dialect: { total: 'all', listOrder: 'asc' },
  });
  await using database = await freshDatabase();
  const outcome = await runInProcess(['check', '--json'], settingsFor(simulator, database.url));
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(outcome.stdout)).toMatchObject({
    status: 'ok',
    page: { limit: 500, rows: 50 },
    total_meaning: 'other',
    list_order: 'oldest first',
    total_orders: 400,
    orders_loaded: 0,
    estimate: { orders: 400, requests: 536, bytes: 1_720_000 },
  });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query('SELECT count(*)::int AS shops FROM tested.shops');
  await client.end();
  expect(rows).toEqual([{ shops: 0 }]);
  const text = await runInProcess(['check'], settingsFor(simulator, database.url));
  expect(text.stdout).toMatch(/page limit +500\n +page rows +50\n/);
  expect(text.stdout).toMatch(/total orders +400\n +total meaning +other\n/);
  expect(text.stdout).toMatch(
    /^Load: the 400 orders take about \d+ s, 540 requests and 2 MB in the database/m,
  );
});

test.concurrent('status shows how complete the copy is and, like check, the fields that are hidden, with the command that shows one', async () => {
  await using simulator = await startSimulator({ orders: 60, days: 5 });
  await using database = await freshDatabase();
  const env = settingsFor(simulator, database.url);
  const empty = await runInProcess(['status'], env);
  expect(empty.stdout).toMatch(/has no shop yet/);
  expect((await runInProcess(['backfill'], env)).code).toBe(0);
  const text = await runInProcess(['status'], env);
  expect(text.stdout).toMatch(/Orders +60 \(0 missing, 0 deleted\)/);
  const today = Temporal.Now.zonedDateTimeISO('Europe/Berlin').toPlainDate().toString();
  const [report] = jsonLines((await runInProcess(['status', '--json'], env)).stdout);
  expect(report).toMatchObject({ shop: 'default', complete_through: today, days_unverified: 0, orders: 60 });

  const namesOf = async (command: string) => {
    const { stdout } = await runInProcess([command], env);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('order-sync fields show');
    const [line] = jsonLines((await runInProcess([command, '--json'], env)).stdout);
    return (line as { hidden_order_fields: string[] }).hidden_order_fields;
  };
  const hidden = await namesOf('check');
  expect(hidden).toContain('source');
  expect(await namesOf('status')).toEqual(hidden);
  expect(await runInProcess(['fields', 'show', 'source', '--shop', 'default'], env)).toMatchObject({
    code: 0,
  });
  expect(await namesOf('check')).not.toContain('source');
});

test.concurrent('migrate lists what it applied, then has nothing to do, and refuses a database of a newer version', async () => {
  await using database = await freshDatabase();
  const run = async (sql: string, options: readonly string[] = []) => {
    await withClient(database.url, (client) => client.query(sql));
    return await runInProcess(['migrate', ...options], { DATABASE_URL: database.url });
  };
  const age = "UPDATE ops.migrations SET hash = 'older' WHERE name = 'views/basket'";
  expect(await run(age)).toMatchObject({ code: 0, stdout: 'Applied views/basket.\n' });
  expect(await run('')).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
  const { stdout } = await run(age, ['--json']);
  expect(JSON.parse(stdout)).toEqual({
    status: 'ok',
    error: null,
    applied: 1,
    migrations: [],
    functions: [],
    views: ['views/basket'],
  });
  const newer = await run("INSERT INTO ops.migrations (name, hash, version) VALUES ('0001_x', '', '99.0.0')");
  expect(newer).toMatchObject({ code: 2, stderr: expect.stringMatching(/newer .* Update order-sync[.]\n/) });
});

test.concurrent('login-link prints only the link', async () => {
  await using simulator = await startSimulator({ orders: 50 });
  const user = simulator.shop.users()[0];
  const env = settingsFor(simulator, 'postgres://127.0.0.1:9/unused');
  const redirect = ['--redirect-url', 'https://shop.example/cart'];
  const outcome = await runCommand(['login-link', '--email', user?.email ?? '', ...redirect], env);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' });
  const link = new URL(outcome.stdout.trim());
  expect(link.searchParams.get('login')).toBe(user?.login);
  expect(link.searchParams.get('r')).toBe('https://shop.example/cart');
  expect(link.searchParams.get('actkey')).toMatch(/.+/);
});

longTest('a second process reports who holds the shop', async () => {
  await using simulator = await startSimulator({ orders: 300, days: 30, latencyMs: 20 });
  await using database = await freshDatabase();
  const env = settingsFor(simulator, database.url);
  const first = startCommand(['backfill'], env);
  await until('20 orders are asked for', () => simulator.requests.count('order') >= 20);
  const second = await runInProcess(['sync'], env);
  expect(second).toMatchObject({ code: 1 });
  expect(second.stderr).toContain(`is being synced by`);
  expect(second.stderr).toContain(`:${first.process.pid}`);
  expect((await first.outcome).code).toBe(0);
});
