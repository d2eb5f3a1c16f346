import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { runCommand, settingsFor, startCommand } from '../support/command-line.ts';
import { withClient } from '../support/database-clients.ts';
import { jsonLines } from '../support/json-lines.ts';
import { freshDatabase } from '../support/database.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { openShop } from '../support/shop-of-commands.ts';
import { longTest } from '../support/long-test.ts';
import { until } from '../support/until.ts';

test.concurrent('check learns how the shop pages and writes nothing to core', async () => {
  const dialect = { total: 'all', listOrder: 'asc' } as const;
  await using shop = await openShop({ orders: 400, days: 30, pageCap: 50, dialect });
  const outcome = await shop.run('check --json');
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
  expect((await shop.query('SELECT FROM tested.shops')).rows).toEqual([]);
  const text = await shop.run('check');
  expect(text.stdout).toMatch(/Orders +400 by its own count, which ignores the dates of the list\n/);
  expect(text.stdout).toMatch(/List +oldest first\n +Page +50 orders of 500 requested\n/);
  expect(text.stdout).toMatch(
    /^Load: the 400 orders take about \d+ s, 2 MB in the database and 540 requests, besides one for each user group/m,
  );
  // No names or values of the JSON document.
  expect(text.stdout).not.toMatch(/_|null|undefined|limited by|meaning| -$/m);
});

test.concurrent('status shows how complete the copy is and, like check, the fields that are hidden, with the command that shows one', async () => {
  await using shop = await openShop({ orders: 60, days: 5 });
  const { run } = shop;
  expect((await run('status')).stdout).toMatch(/has no shop yet/);
  expect((await run('backfill')).code).toBe(0);
  const text = await run('status');
  expect(text.stdout).toMatch(/Orders +60 \(0 missing, 0 deleted\)/);
  const today = Temporal.Now.zonedDateTimeISO('Europe/Berlin').toPlainDate().toString();
  const [report] = jsonLines((await run('status --json')).stdout);
  expect(report).toMatchObject({ shop: 'default', complete_through: today, days_unverified: 0, orders: 60 });

  const namesOf = async (command: string) => {
    const { stdout } = await run(command);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('order-sync fields show');
    const [line] = jsonLines((await run(`${command} --json`)).stdout);
    return (line as { hidden_order_fields: string[] }).hidden_order_fields;
  };
  const hidden = await namesOf('check');
  expect(hidden).toContain('source');
  expect(await namesOf('status')).toEqual(hidden);
  expect(await run('fields show source --shop default')).toMatchObject({ code: 0 });
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
  await using shop = await openShop({ orders: 300, days: 30, latencyMs: 20 });
  const first = startCommand(['backfill'], shop.env);
  await until('20 orders are asked for', () => shop.simulator.requests.count('order') >= 20);
  const second = await shop.run('sync');
  expect(second).toMatchObject({ code: 1 });
  expect(second.stderr).toContain(`is being synced by`);
  expect(second.stderr).toContain(`:${first.process.pid}`);
  expect((await first.outcome).code).toBe(0);
});
