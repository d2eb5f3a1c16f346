import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { countHeldByDay, countHeldOrders, readUnlisted } from '../../../src/warehouse/orders/live-orders.ts';
import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { orderToLoad } from '../../support/rows.ts';
import { openTestWarehouse } from '../test-warehouse.ts';

const ALL = { from: undefined, to: undefined };

test('orders that a list lacks are live ones whose number is none of its keys, with their days', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  await warehouse.write((tx) =>
    loadOrders(
      tx,
      shopId,
      ['1', '2', '12', '3', '4'].map((id) => orderToLoad(id)),
    ),
  );
  await warehouse.rows(
    sql`UPDATE core.orders SET missing_since = now() WHERE shop_id = ${shopId} AND order_id = 3`,
  );
  await warehouse.rows(
    sql`UPDATE core.orders SET created_on = NULL WHERE shop_id = ${shopId} AND order_id = 4`,
  );
  const [{ day } = { day: '' }] = await warehouse.rows(
    sql`SELECT created_on::text AS day FROM core.orders WHERE shop_id = ${shopId} AND order_id = 12`,
  );
  const read = async (listed: readonly string[], ...rest: [Temporal.Instant?]) => {
    const unlisted = await readUnlisted(warehouse.db, shopId, new Set(listed), ALL, ...rest);
    return unlisted.toSorted((a, b) => Number(a.orderId) - Number(b.orderId));
  };
  expect(await read(['1', '2', '{"order_id":"12"}', 'x,12', '3.0'])).toEqual([
    { orderId: '4', day: undefined },
    { orderId: '12', day },
  ]);
  expect(await read([])).toHaveLength(4);
  expect(await read(['1', '2', '4', '12'])).toEqual([]);
  expect(await read([], Temporal.Instant.from('2020-01-01T00:00:00Z'))).toEqual([]);
});

test('live orders are counted as the shop filters them; it is asked for no code that looks like none', async () => {
  await using warehouse = await openTestWarehouse();
  const shopId = await warehouse.newShop();
  const rows = [
    { order_sum: '15.50', status_code: 'W7', pay_status_code: 'FP' },
    { order_sum: '15.49', status_code: 'W7', pay_status_code: 'S' },
    { order_sum: null, status_code: 'ask Anna', pay_status_code: 'S' },
    { order_sum: '99.00', status_code: 'W7', pay_status_code: 'FP' },
  ];
  await warehouse.write((tx) =>
    loadOrders(
      tx,
      shopId,
      rows.map((row, at) => orderToLoad(String(at + 1), { row })),
    ),
  );
  await warehouse.rows(
    sql`UPDATE core.orders SET missing_since = now() WHERE shop_id = ${shopId} AND order_id = 4`,
  );
  const count = async (facet: Parameters<typeof countHeldByDay>[3]) =>
    [...(await countHeldByDay(warehouse.db, shopId, ALL, facet)).values()].reduce((sum, one) => sum + one, 0);
  expect([
    await count({ by: 'all' }),
    await count({ by: 'status', code: 'W7' }),
    await count({ by: 'pay_status', code: 'FP' }),
    await count({ by: 'summ_from', amount: 15.5 }),
  ]).toEqual([3, 2, 1, 1]);
  const { held, statuses } = await countHeldOrders(warehouse.db, shopId, ALL);
  expect(held.map(({ orders, status, payStatus }) => `${status} ${payStatus} ${orders}`).toSorted()).toEqual([
    'W7 FP 1',
    'W7 S 1',
    'ask Anna S 1',
  ]);
  expect(statuses).toEqual(expect.arrayContaining(['W7', 'C', '']));
  expect(statuses).not.toContain('ask Anna');
});
