import { Client } from 'pg';
import { expect, test } from 'vitest';

import type { SimOrder } from '../../../src/simulator/shop/sim-order.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { runCommand, settingsFor, startCommand } from '../../support/command-line.ts';
import { freshDatabase } from '../../support/database.ts';
import { coreVersions, differences } from '../../support/truth.ts';
import { until } from '../../support/until.ts';
import { watchLists } from '../../support/list-requests.ts';
import { longTest } from '../../support/long-test.ts';
import { IS_LONG } from '../../support/long.ts';

async function connect(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

const outcomeOf = (stdout: string): Record<string, unknown> => JSON.parse(stdout);

const ORDERS = IS_LONG ? 20_000 : 150;

test(`${ORDERS} orders are loaded whole; a sync finds nothing to do; edits cost one content request each`, async () => {
  await using simulator = await startSimulator({ orders: ORDERS, days: 400, seed: 7 });
  await using database = await freshDatabase();
  await using client = await connect(database.url);
  const env = settingsFor(simulator, database.url);

  const first = await runCommand(['backfill', '--json'], env);
  expect(first, first.stderr).toMatchObject({ code: 0 });
  expect(outcomeOf(first.stdout)).toMatchObject({
    status: 'ok',
    orders_new: ORDERS,
    content_requests: ORDERS,
  });
  expect(await differences(client, simulator.shop)).toEqual([]);

  const versions = await coreVersions(client);
  simulator.requests.reset();
  const sync = await runCommand(['sync', '--json'], env);
  expect(sync, sync.stderr).toMatchObject({ code: 0 });
  expect(simulator.requests.count('order')).toBe(0);
  expect(await coreVersions(client)).toBe(versions);

  const orders = simulator.shop.orders();
  for (let index = 0; index < 25; index++) {
    const order = orders[Math.floor((index * orders.length) / 25)];
    if (order) simulator.shop.editOrder(order.orderId);
  }
  for (let index = 0; index < 10; index++) simulator.shop.insertOrder();
  expect(await differences(client, simulator.shop)).toHaveLength(35);

  simulator.requests.reset();
  const forced = await runCommand(['backfill', '--force', '--json'], env);
  expect(forced, forced.stderr).toMatchObject({ code: 0 });
  expect(outcomeOf(forced.stdout)).toMatchObject({ orders_new: 10, orders_changed: 25, orders_missing: 0 });
  expect(simulator.requests.count('order')).toBe(35);
  expect(await differences(client, simulator.shop)).toEqual([]);
});

longTest('a killed backfill resumes without reading a verified day again', async () => {
  await using simulator = await startSimulator({ orders: 300, days: 90, seed: 3, latencyMs: 5, pageCap: 20 });
  await using database = await freshDatabase();
  await using client = await connect(database.url);
  const env = settingsFor(simulator, database.url);

  const running = startCommand(['backfill'], env);
  await untilVerified(client, 20);
  running.process.kill('SIGKILL');
  expect((await running.outcome).signal).toBe('SIGKILL');

  const verified = await verifiedDays(client);
  expect(verified.length).toBeGreaterThanOrEqual(20);
  expect(verified.length).toBeLessThan(85);
  const isVerified = ({ createdLocal }: SimOrder) => verified.includes(createdLocal.toPlainDate().toString());
  const unread = simulator.shop.orders().filter((order) => !isVerified(order));
  simulator.requests.reset();
  const lists = watchLists(simulator.requests);
  const second = await runCommand(['backfill', '--json'], env);
  expect(second, second.stderr).toMatchObject({ code: 0 });
  expect(outcomeOf(second.stdout)).toMatchObject({ orders_seen: unread.length });
  // A window is asked for a little wider than it is, and the shop is recognized by the minute of an order that is held;
  // without dates, the list is read to find orders that have none.
  const dated = lists.filter(({ dateFrom, dateTo }) => dateFrom ?? dateTo);
  const listedAgain = verified.filter((day) => dated.some((list) => touches(list, day)));
  expect(listedAgain.length).toBeLessThanOrEqual(2);
  expect(await differences(client, simulator.shop)).toEqual([]);
  const { rows } = await client.query('SELECT status FROM tested.runs ORDER BY run_id');
  expect(rows).toEqual([{ status: 'abandoned' }, { status: 'ok' }]);
});

async function untilVerified(client: Client, days: number): Promise<void> {
  await until(`${days} days are verified`, async () => (await verifiedDays(client)).length >= days);
}

async function verifiedDays(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ day: string }>(
    'SELECT day::text FROM tested.days WHERE verified_at IS NOT NULL ORDER BY day',
  );
  return rows.map((row) => row.day);
}

type ListRequest = { readonly dateFrom: string | undefined; readonly dateTo: string | undefined };

/** Whether a list request asks for more of a day than its midnight, which is the end of the day before it. */
function touches({ dateFrom, dateTo }: ListRequest, day: string): boolean {
  const [start, end] = [`${day}T00:00:00`, `${day}T23:59:59`];
  const from = dateFrom === undefined ? '0000' : sortable(dateFrom);
  const to = dateTo === undefined ? '9999' : sortable(dateTo);
  return from <= end && to > start;
}

/** DD-MM-YYYY HH:MM:SS -> YYYY-MM-DDTHH:MM:SS */
function sortable(text: string): string {
  return `${text.slice(6, 10)}-${text.slice(3, 5)}-${text.slice(0, 2)}T${text.slice(11)}`;
}
