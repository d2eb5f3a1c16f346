import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { loadOrders } from '../../../src/warehouse/orders/load-orders.ts';
import { markOrders } from '../../../src/warehouse/orders/missing-marks.ts';
import { at, type OrderRow, orderToLoad } from '../../support/rows.ts';
import { openTestWarehouse, type TestWarehouse } from '../test-warehouse.ts';

let warehouse: TestWarehouse;
let shopId: number;
beforeAll(async () => {
  warehouse = await openTestWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());
beforeEach(async () => {
  shopId = await warehouse.newShop();
});

const [NOON, LATER] = [at('2026-03-11T12:00:00Z'), at('2026-03-11T13:00:00Z')];

const load = (id: string, row: Partial<OrderRow> = {}) =>
  warehouse.write((tx) => loadOrders(tx, shopId, [orderToLoad(id, { row })]));
const mark = (ids: readonly string[], since = NOON) =>
  warehouse.write((tx) => markOrders(tx, shopId, { missing: ids }, since));
const clear = (ids: readonly string[]) =>
  warehouse.write((tx) => markOrders(tx, shopId, { returned: ids }, LATER));
const remove = (id: string) =>
  warehouse.rows(
    sql`UPDATE core.orders SET deleted_at = now() WHERE shop_id = ${shopId} AND order_id = ${id}`,
  );
const marks = () =>
  warehouse.rows(sql`
    SELECT order_id, missing_since, deleted_at IS NOT NULL AS is_deleted FROM core.orders
    WHERE shop_id = ${shopId} ORDER BY order_id`);

test('a mark has a time, survives being set again, and is only on the given orders', async () => {
  for (const id of ['1', '2', '9223372036854775807']) await load(id);
  const otherShop = await warehouse.newShop();
  await warehouse.write((tx) => loadOrders(tx, otherShop, [orderToLoad('1')]));
  await mark(['1', '9223372036854775807', '77']);
  await mark(['1', '2'], LATER);
  const [since, later] = ['2026-03-11 12:00:00+00', '2026-03-11 13:00:00+00'];
  expect(await marks()).toEqual([
    { order_id: '1', missing_since: since, is_deleted: false },
    { order_id: '2', missing_since: later, is_deleted: false },
    { order_id: '9223372036854775807', missing_since: since, is_deleted: false },
  ]);
  shopId = otherShop;
  expect(await marks()).toMatchObject([{ missing_since: null }]);
});

test('an order is deleted once, and only where it is missing', async () => {
  for (const id of ['1', '2']) await load(id);
  await mark(['1']);
  for (const since of [NOON, LATER])
    await warehouse.write((tx) => markOrders(tx, shopId, { deleted: ['1', '2'] }, since));
  const deleted = await warehouse.rows(
    sql`SELECT order_id, deleted_at FROM core.orders WHERE shop_id = ${shopId} ORDER BY order_id`,
  );
  expect(deleted).toEqual([
    { order_id: '1', deleted_at: '2026-03-11 12:00:00+00' },
    { order_id: '2', deleted_at: null },
  ]);
});

test('an order seen again loses both marks, and one without a mark is not written', async () => {
  for (const id of ['1', '2', '3']) await load(id);
  await mark(['1', '2']);
  await remove('2');
  const version = () =>
    warehouse.rows(sql`SELECT xmin FROM core.orders WHERE shop_id = ${shopId} AND order_id = 3`);
  const before = await version();
  await clear(['1', '2', '3']);
  expect(await marks()).toMatchObject(
    ['1', '2', '3'].map(() => ({ missing_since: null, is_deleted: false })),
  );
  expect(await version()).toEqual(before);
});

test('a reloaded order loses its marks', async () => {
  await load('1');
  await mark(['1']);
  await remove('1');
  await load('1');
  expect(await marks()).toMatchObject([{ missing_since: null, is_deleted: false }]);
});

test('no orders write nothing', async () => {
  await load('1');
  await mark([]);
  await mark(['1']);
  await clear([]);
  expect(await marks()).toMatchObject([{ missing_since: '2026-03-11 12:00:00+00' }]);
});

test('an order in doubt is booked since when it is first, and no more once it is settled', async () => {
  const doubt = (changes: Parameters<typeof markOrders>[2]) =>
    warehouse.write((tx) => markOrders(tx, shopId, changes, NOON));
  const booked = () =>
    warehouse.rows(sql`SELECT key, since, due_at - since = interval '1 day' AS is_a_day FROM ops.due
      WHERE shop_id = ${shopId} AND kind = 'missing' ORDER BY key`);
  await doubt({ doubted: ['1', '2'] });
  const first = await booked();
  expect(first).toMatchObject([
    { key: '1', is_a_day: true },
    { key: '2', is_a_day: true },
  ]);
  await doubt({ doubted: ['1'], settled: ['2'] });
  expect((await booked()).map(({ key, since }) => [key, since])).toEqual([['1', first[0]?.['since']]]);
});
