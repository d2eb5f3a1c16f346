/** How a shop counts and adds up is learned from enough of its orders whose lines are known, and from no others. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { openTestWarehouse, type TestWarehouse } from '../warehouse/test-warehouse.ts';
import { loadShop, order } from '../warehouse/views/views-load.ts';
import type { Line } from '../warehouse/views/views-oracle.ts';

const line = (quantity: number): Line => ({
  product: '7',
  name: 'Mug',
  sku: null,
  quantity,
  cents: 500,
  listCents: null,
});
/** Two lines with three units: the shop's count tells which of them it counts. */
const counted = (items: number) => order({ lines: [line(2), line(1)], items });
const times = (count: number, items: number) => Array.from({ length: count }, () => counted(items));
/** One line with one unit, which says nothing of it. */
const silent = Array.from({ length: 9 }, () => order({ lines: [{ ...line(1), cents: 1_000 }], items: 1 }));

let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

async function meaning(shopId: number): Promise<unknown> {
  const rows = await warehouse.rows(
    sql`SELECT DISTINCT item_count_means AS means FROM bi.data_quality WHERE shop_id = ${shopId}`,
  );
  return rows.map(({ means }) => means);
}

test('two orders that may be wrong prove nothing of how a shop counts; three do', async () => {
  const { db } = warehouse;
  expect(await meaning(await loadShop(db, 'two', [...times(2, 2), ...silent]))).toEqual(['units']);
  expect(await meaning(await loadShop(db, 'three', [...times(3, 2), ...silent]))).toEqual(['lines']);
  expect(await meaning(await loadShop(db, 'as many', [...times(3, 2), ...times(3, 3)]))).toEqual(['units']);
});

test('orders whose lines are outdated prove nothing of how a shop counts', async () => {
  const outdated = times(9, 2);
  const shopId = await loadShop(warehouse.db, 'outdated', [...outdated, counted(3)]);
  await warehouse.rows(sql`
    UPDATE core.orders SET lines_state = 'pending' WHERE shop_id = ${shopId} AND item_count = 2`);
  expect(await meaning(shopId)).toEqual(['units']);
});

test('deleted orders prove nothing of how a shop counts', async () => {
  const shopId = await loadShop(warehouse.db, 'deleted', [...times(9, 2), counted(3)]);
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = now() WHERE shop_id = ${shopId} AND item_count = 2`);
  expect(await meaning(shopId)).toEqual(['units']);
});

test('a shop whose sums are with the delivery is told of two orders whose sums are not', async () => {
  const lines = [{ ...line(1), cents: 1_000 }];
  const shopId = await loadShop(warehouse.db, 'delivery', [
    order({ lines, cents: 1_000 }),
    order({ lines, cents: 1_000 }),
  ]);
  await warehouse.rows(sql`UPDATE core.orders SET delivery_price = 4 WHERE shop_id = ${shopId}`);
  const rows = await warehouse.rows(sql`SELECT problems FROM bi.data_quality WHERE shop_id = ${shopId}`);
  expect(rows).toEqual([{ problems: 'sum without delivery' }, { problems: 'sum without delivery' }]);
});

test('an order that was paid and has no sum lacks a sum, and is not overpaid', async () => {
  const lines = [{ ...line(1), cents: 1_000 }];
  const shopId = await loadShop(warehouse.db, 'no sum', [order({ lines, cents: null, paidCents: 500 })]);
  const rows = await warehouse.rows(sql`SELECT problems FROM bi.data_quality WHERE shop_id = ${shopId}`);
  expect(rows).toEqual([{ problems: 'no sum' }]);
});
