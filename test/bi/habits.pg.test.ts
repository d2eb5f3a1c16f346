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

test('orders that are missing count, as they may come back; those without a date, or with a line of unknown quantity, do not', async () => {
  const { db } = warehouse;
  const missing = times(3, 2).map((one) => ({ ...one, isMissing: true }));
  expect(await meaning(await loadShop(db, 'missing', missing))).toEqual(['lines']);
  const undated = times(9, 2).map((one) => ({ ...one, day: null }));
  expect(await meaning(await loadShop(db, 'undated', undated))).toEqual(['units']);
  const unclear = Array.from({ length: 9 }, () =>
    order({ lines: [line(3), { ...line(1), quantity: null }], items: 2 }),
  );
  expect(await meaning(await loadShop(db, 'unclear', unclear))).toEqual(['units']);
});

test('a shop counts as its latest 300 orders do, not as it did before', async () => {
  const changed = [
    ...times(305, 3).map((one) => ({ ...one, day: '2025-03-01' })),
    ...times(299, 2).map((one) => ({ ...one, day: '2026-03-01' })),
  ];
  expect(await meaning(await loadShop(warehouse.db, 'changed', changed))).toEqual(['lines']);
});

const DELIVERED = [{ ...line(1), cents: 1_000 }];
/** Orders whose sum leaves out what the delivery costs, or has it in. */
const without = () => order({ lines: DELIVERED, cents: 1_000 });
const within = () => order({ lines: DELIVERED, cents: 1_400 });
const many = (count: number, make: typeof without) => Array.from({ length: count }, make);

test.each([
  ['three without it', [...many(3, without)], 4, null],
  ['as many with it', [...many(3, without), ...many(3, within)], 4, 'sum without delivery'],
  ['one more without it', [...many(4, without), ...many(3, within)], 4, null],
  ['two without it, and many that cost nothing', [...many(2, without)], 4, 'sum without delivery', 9],
  ['three without it, and many that cost nothing', [...many(3, without)], 4, null, 9],
])(
  'whether sums have the delivery in is learned from orders whose delivery costs something: %s',
  async (name, orders, price, problem, free = 0) => {
    const gifts = many(free, without);
    const shopId = await loadShop(warehouse.db, `delivery ${name}`, [...orders, ...gifts]);
    const paid = sql`order_id NOT IN (SELECT unnest(${sql.param(gifts.map(({ id }) => id))}::bigint[]))`;
    await warehouse.rows(sql`
      UPDATE core.orders SET delivery_price = CASE WHEN ${paid} THEN ${price}::numeric ELSE 0 END WHERE shop_id = ${shopId}`);
    const rows = await warehouse.rows(sql`
      SELECT DISTINCT problems FROM bi.data_quality WHERE shop_id = ${shopId} AND order_sum = 10 AND delivery_price <> 0`);
    expect(rows).toEqual([{ problems: problem }]);
  },
);

test('where no order tells, a sum without the delivery is told', async () => {
  const shopId = await loadShop(warehouse.db, 'nothing to learn from', [without()]);
  await warehouse.rows(
    sql`UPDATE core.orders SET delivery_price = 4, lines_state = 'doubtful' WHERE shop_id = ${shopId}`,
  );
  const rows = await warehouse.rows(sql`SELECT problems FROM bi.data_quality WHERE shop_id = ${shopId}`);
  expect(rows).toEqual([{ problems: 'lines contradict order, sum without delivery' }]);
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
