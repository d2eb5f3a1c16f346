import { Client } from 'pg';
import { expect, test } from 'vitest';

import { startSimulator } from '../../../../src/simulator/server.ts';
import { runCommand, settingsFor } from '../../../support/command-line.ts';
import { freshDatabase } from '../../../support/database.ts';
import { coreVersions, differences } from '../../../support/truth.ts';
import { IS_LONG } from '../../../support/long.ts';

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
