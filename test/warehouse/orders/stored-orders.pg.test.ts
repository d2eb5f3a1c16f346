import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import {
  readNeighbours,
  readOrdersById,
  readUndatedOrders,
} from '../../../src/warehouse/orders/stored-orders.ts';
import { at, orderToLoad } from '../../support/rows.ts';
import { openTestWarehouse } from '../test-warehouse.ts';

test('the oldest, the newest and the neighbouring orders are live ones of the shop, by its own time', async () => {
  await using warehouse = await openTestWarehouse();
  const { db } = warehouse;
  const [shopId, other] = [await warehouse.newShop(), await warehouse.newShop()];
  const day = '2026-03-01T';
  const times = ['08:00:05', '09:00:00', '10:00:00', '10:30:00', '11:00:59', '07:00:00', '12:00:00'];
  const orders = times.map((time, index) =>
    orderToLoad(String(index + 1), {
      row: { created_local: `${day}${time}` },
      seenAt: at(`2026-03-0${index + 2}T00:00:00Z`),
    }),
  );
  const undated = orderToLoad('8', { row: { created_local: null, created_on: null } });
  await warehouse.write((tx) => loadOrders(tx, shopId, [...orders, undated]));
  const foreign = [`${day}06:00:00`, `${day}09:30:00`, `${day}13:00:00`, null].map((created_local, index) =>
    orderToLoad(String(index + 101), { row: { created_local } }),
  );
  await warehouse.write((tx) => loadOrders(tx, other, foreign));
  await warehouse.rows(sql`
    UPDATE core.orders SET missing_since = now(), deleted_at = CASE WHEN order_id = 7 THEN now() END
    WHERE shop_id = ${shopId} AND order_id IN (6, 7)`);
  const time = (text: string) => Temporal.PlainDateTime.from(`${day}${text}`);
  const near = async (side: 'before' | 'after', text: string, nth: number) =>
    (await readNeighbours(db, shopId, side, time(text), nth)).at(-1)?.createdLocal.toPlainTime().toString();
  expect([
    await near('before', '10:00', 1),
    await near('before', '10:00', 2),
    await near('before', '10:00', 9),
    await near('before', '08:00', 1),
    await near('after', '10:00', 1),
    await near('after', '10:00', 2),
    await near('after', '10:00', 9),
    await near('after', '11:01', 1),
  ]).toEqual(['09:00:00', '08:00:05', '08:00:05', undefined, '10:00:00', '10:30:00', '11:00:59', undefined]);
  const newest = async (limit: number) => readNeighbours(db, shopId, 'before', undefined, limit);
  expect((await newest(9)).map(({ orderId }) => Number(orderId))).toEqual([5, 4, 3, 2, 1]);
  expect(await newest(1)).toEqual([
    { orderId: '5', createdLocal: time('11:00:59'), firstSeenAt: at('2026-03-06T00:00:00Z') },
  ]);
  const outside = await readUndatedOrders(db, shopId, time('11:00'));
  expect(outside.map(({ orderId }) => orderId).toSorted()).toEqual(['5', '7', '8']);
  const byId = await readOrdersById(db, shopId, ['8', '1', '101']);
  const told = [...byId].map(([id, order]) =>
    [id, order.orderId, order.createdMinute, order.createdOn].join(' '),
  );
  expect(told.toSorted()).toEqual(['1 1 2026-03-01T08:00 2026-03-01', '8 8  ']);
});
