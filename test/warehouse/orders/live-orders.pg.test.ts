import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import {
  compareMonths,
  type CurrencyComparison,
  countOrdersByDay,
  countOrdersByFacet,
  countLiveOrders,
  countOutsideLedger,
  hasPseudonymized,
  readLargestIds,
  readUnlisted,
} from '../../../src/warehouse/orders/live-orders.ts';
import { type OrderRow, orderToLoad, SEEN } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const ALL = { from: undefined, to: undefined };

const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
});
/** Orders of these columns, numbered from 1. */
const load = (rows: readonly Partial<OrderRow>[], shop = shopId) =>
  warehouse.load(
    shop,
    rows.map((row, index) => orderToLoad(String(index + 1), { row })),
  );

test('orders missing from a list have an id that is none of its keys, and come with their days and times', async () => {
  const day = '2026-03-01';
  await load([{}, {}, {}, { created_on: null }]);
  await warehouse.load(shopId, [orderToLoad('12')]);
  await warehouse.rows(
    sql`UPDATE core.orders SET missing_since = ${SEEN.toString()} WHERE shop_id = ${shopId} AND order_id = 3`,
  );
  const read = async (listed: readonly string[]) => {
    const unlisted = await readUnlisted(warehouse.db, shopId, new Set(listed), ALL);
    return unlisted.toSorted((a, b) => Number(a.orderId) - Number(b.orderId));
  };
  expect(await read(['1', '2', '{"order_id":"12"}', 'x,12', '3.0'])).toEqual([
    { orderId: '3', day, missingSince: SEEN },
    { orderId: '4', day: null, missingSince: null },
    { orderId: '12', day, missingSince: null },
  ]);
  expect(await read([])).toHaveLength(5);
  expect(await read(['1', '2', '3', '4', '12'])).toEqual([]);
});

test('live orders are counted as the shop filters them; it is asked for no code that looks like none', async () => {
  await load([
    { order_sum: '15.50', status_code: 'W7', pay_status_code: 'FP' },
    { order_sum: '15.49', status_code: 'W7', pay_status_code: 'S' },
    { order_sum: null, status_code: 'ask Anna', pay_status_code: 'S' },
    { order_sum: '99.00', status_code: 'W7', pay_status_code: 'FP' },
  ]);
  await warehouse.rows(
    sql`UPDATE core.orders SET missing_since = now() WHERE shop_id = ${shopId} AND order_id = 4`,
  );
  const count = async (facet: Parameters<typeof countOrdersByDay>[3]) =>
    [...(await countOrdersByDay(warehouse.db, shopId, ALL, facet)).values()].reduce(
      (sum, one) => sum + one,
      0,
    );
  expect([
    await count({ by: 'all' }),
    await count({ by: 'status', code: 'W7' }),
    await count({ by: 'pay_status', code: 'FP' }),
    await count({ by: 'summ_from', amount: 15.5 }),
  ]).toEqual([3, 2, 1, 1]);
  const stored = await countOrdersByFacet(warehouse.db, shopId, ALL);
  expect(
    stored.map(({ orders, status, payStatus }) => `${status} ${payStatus} ${orders}`).toSorted(),
  ).toEqual(['W7 FP 1', 'W7 S 1', 'ask Anna S 1']);
});

test('what is counted of orders leaves out those that are deleted, live ones those that are missing, and both other days and shops', async () => {
  const { db } = warehouse;
  const [other, empty] = [await warehouse.newShop(), await warehouse.newShop()];
  const rows = [
    { created_on: '2026-01-31', order_sum: '1.50' },
    { created_on: '2026-02-01', order_sum: '2.00' },
    { created_on: '2026-02-28', order_sum: null },
    { created_on: '2026-02-28', order_sum: '4.00', currency: null },
    { created_on: null, created_local: null, order_sum: '8.00' },
    { created_on: '2026-02-03', order_sum: '16.00' },
    { created_on: '2026-02-03', order_sum: '32.00' },
  ];
  for (const shop of [shopId, other]) await load(rows, shop);
  await warehouse.load(other, [orderToLoad('900'), orderToLoad('901', { fingerprint: 'p:key' })]);
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = CASE WHEN order_id = 7 THEN now() END
    WHERE shop_id = ${shopId} AND order_id >= 6`);
  const months = async (...ends: readonly (string | undefined)[]) => {
    const [from, to] = ends.map((end) => (end === undefined ? undefined : Temporal.PlainDate.from(end)));
    const compared = await compareMonths(db, shopId, { from, to }, []);
    return compared.months.map(({ month, currency, warehouse: { orders, sum } }) =>
      [month, currency, orders, sum].join(' '),
    );
  };
  const [january, february, alone] = ['2026-01 EUR 1 1.50', '2026-02 EUR 3 18.00', '2026-02  1 4.00'];
  expect(await months()).toEqual([january, alone, february, 'no date EUR 1 8.00']);
  expect(await months('2026-02-01')).toEqual([alone, february]);
  expect(await months(undefined, '2026-02-01')).toEqual([january, '2026-02 EUR 1 2.00']);
  expect(await months('2026-02-28', '2026-02-28')).toEqual([alone, '2026-02 EUR 1 0.00']);
  await warehouse.rows(sql`
    INSERT INTO ops.days (shop_id, day, verified_at) VALUES (${shopId}, '2026-01-31', now()), (${shopId}, '2026-02-01', NULL),
      (${other}, '2026-02-28', now())`);
  expect(await countOutsideLedger(db, shopId)).toEqual({ orders: 5, undated: 1 });
  expect([await countLiveOrders(db, shopId), await countLiveOrders(db, empty)]).toEqual([5, 0]);
  expect(await readLargestIds(db, shopId)).toEqual({ order: 7n, user: 42n });
  expect(await readLargestIds(db, empty)).toMatchObject({ order: 0n });
  expect(await hasPseudonymized(db, shopId)).toBe(false);
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = CASE WHEN created_on IS NULL THEN now() END,
      fingerprint = CASE WHEN created_on IS NULL THEN 'p:key' ELSE 'e:p:' END WHERE shop_id = ${shopId}`);
  expect(await hasPseudonymized(db, shopId)).toBe(false);
  await warehouse.rows(sql`UPDATE core.orders SET fingerprint = 'p:key' WHERE shop_id = ${shopId}`);
  expect(await hasPseudonymized(db, shopId)).toBe(true);
});

test('months are compared by currency, exactly, and a currency is equal where each of its months is', async () => {
  await load([
    { created_on: '2025-12-31', order_sum: '0.01' },
    { created_on: '2026-02-01', order_sum: '99999999999.99' },
    { created_on: '2026-02-28', order_sum: '0.10', currency: 'eur' },
    { created_on: null, created_local: null, order_sum: '-0.05' },
    { created_on: '2026-02-03', order_sum: '7.00', currency: 'CHF' },
    { created_on: '2026-02-03', order_sum: null, currency: null },
  ]);
  const listed = [
    { month: null, currency: 'EUR', orders: 1, cents: -5n },
    { month: '2026-02', currency: 'Eur', orders: 2, cents: 10_000_000_000_009n },
    { month: '2026-03', currency: 'EUR', orders: 1, cents: 1n },
    { month: '2026-02', currency: 'USD', orders: 1, cents: 700n },
    { month: '2026-02', currency: null, orders: 1, cents: 0n },
  ];
  const { months, currencies } = await compareMonths(warehouse.db, shopId, ALL, listed);
  const texts = (compared: readonly CurrencyComparison[]) =>
    compared.map(({ shop, warehouse: ours, is_equal, ...of }) =>
      [...Object.values(of), shop.orders, shop.sum, ours.orders, ours.sum, is_equal].join(' '),
    );
  expect(texts(months)).toEqual([
    '2025-12 EUR 0 0.00 1 0.01 false',
    '2026-02  1 0.00 1 0.00 true',
    '2026-02 CHF 0 0.00 1 7.00 false',
    '2026-02 EUR 2 100000000000.09 2 100000000000.09 true',
    '2026-02 USD 1 7.00 0 0.00 false',
    '2026-03 EUR 1 0.01 0 0.00 false',
    'no date EUR 1 -0.05 1 -0.05 true',
  ]);
  // Its sums are equal, and its months are not.
  expect(texts(currencies)).toEqual([
    ' 1 0.00 1 0.00 true',
    'CHF 0 0.00 1 7.00 false',
    'EUR 4 100000000000.05 4 100000000000.05 false',
    'USD 1 7.00 0 0.00 false',
  ]);
  const more = [{ month: '2025-12', currency: 'EUR', orders: 2, cents: 1n }];
  const [counted] = (await compareMonths(warehouse.db, shopId, ALL, more)).months;
  expect(counted, 'as much of more orders').toMatchObject({ month: '2025-12', is_equal: false });
});
