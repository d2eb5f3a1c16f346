/** A copy that reads only rows with a later `changed_at`, as an incremental model does, misses nothing. */
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { makeShopInProcess } from '../support/in-process-shop.ts';
import { IS_LONG } from '../support/long.ts';
import { sweepOnce, testClock, withoutGroups } from '../support/sweep.ts';
import { openTestWarehouse } from '../warehouse/test-warehouse.ts';
import { openCopies } from './copies.ts';

const PRESENT = Temporal.Instant.from('2025-11-16T12:00:00Z');
const ORDERS = IS_LONG ? 80 : 40;
const ROUNDS = IS_LONG ? 4 : 2;
/** Views of orders and of their parts; all but the first two leave orders out. */
const VIEWS = [
  'orders',
  'order_lines',
  'payments',
  'data_quality',
  'returns',
  'open_orders',
  'delivery_times',
];

test('after any edits and deletions a copy of each view of orders equals it', async () => {
  await using simulator = makeShopInProcess({ orders: ORDERS, days: 60, seed: 5, now: PRESENT });
  await using warehouse = await openTestWarehouse();
  const { db } = warehouse;
  const clock = testClock(PRESENT);
  const sweep = async () => {
    await sweepOnce(
      simulator,
      db,
      { kind: 'backfill', force: true },
      {},
      { now: clock.now, through: withoutGroups, refreshesSummaries: true },
    );
    clock.pass({ minutes: 6 });
  };
  await sweep();
  const copies = await openCopies(warehouse, VIEWS);
  let read = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const orders = simulator.shop.orders();
    const [removed, ...edited] = orders.filter((_, at) => at % 7 === round);
    for (const { orderId } of edited) simulator.shop.editOrder(orderId);
    if (removed !== undefined) simulator.shop.deleteOrder(removed.orderId);
    simulator.shop.insertOrder();
    for (let sweeps = 0; sweeps <= round % 2; sweeps += 1) await sweep();
    read += await copies.bringUpToDate();
    expect(await copies.differences()).toEqual([]);
  }
  // It is incremental, there were deletions, and orders left the views that leave some out.
  expect(read).toBeGreaterThan((ORDERS / 8) * ROUNDS);
  expect(read).toBeLessThan(ORDERS * ROUNDS * 0.5);
  const { rows } = await db.execute(sql`SELECT FROM copies.orders WHERE is_deleted`);
  expect(rows.length).toBeGreaterThan(1);
});
