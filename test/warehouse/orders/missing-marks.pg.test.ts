import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';

import { markOrders } from '../../../src/warehouse/orders/missing-marks.ts';
import { at, orderToLoad } from '../../support/rows.ts';
import { fileWarehouse } from '../test-warehouse.ts';

const [FIRST, LARGEST] = ['1', '9223372036854775807'];
const warehouse = fileWarehouse();
let shopId: number;
beforeEach(async () => {
  shopId = await warehouse.newShop();
  await warehouse.load(
    shopId,
    [FIRST, '2', LARGEST].map((id) => orderToLoad(id)),
  );
});

const [NOON, LATER] = [at('2026-03-11T12:00:00Z'), at('2026-03-11T13:00:00Z')];
const [since, later] = ['2026-03-11 12:00:00+00', '2026-03-11 13:00:00+00'];

const mark = (marks: Parameters<typeof markOrders>[2], seenAt = NOON) =>
  warehouse.write((tx) => markOrders(tx, shopId, marks, seenAt));
/** When each order was marked as missing, and as deleted. */
const marks = async (shop = shopId) =>
  (
    await warehouse.rows(sql`
      SELECT missing_since, deleted_at FROM core.orders WHERE shop_id = ${shop} ORDER BY order_id`)
  ).map((row) => Object.values(row));

test('a mark has a time, survives being set again, and is only on the given orders', async () => {
  const other = await warehouse.newShop();
  await warehouse.load(other, [orderToLoad(FIRST)]);
  await mark({});
  await mark({ missing: [FIRST, LARGEST, '77'] });
  await mark({ missing: [FIRST, '2'] }, LATER);
  expect(await marks()).toEqual([
    [since, null],
    [later, null],
    [since, null],
  ]);
  expect(await marks(other)).toEqual([[null, null]]);
});

test('an order is deleted once, and only where it is missing', async () => {
  await mark({ missing: [FIRST] });
  for (const seenAt of [NOON, LATER]) await mark({ deleted: [FIRST, '2'] }, seenAt);
  expect((await marks()).slice(0, 2)).toEqual([
    [since, since],
    [null, null],
  ]);
});

test('an order that is seen again, or loaded, loses both marks, and one without a mark is not written', async () => {
  const version = () =>
    warehouse.rows(sql`SELECT xmin FROM core.orders WHERE shop_id = ${shopId} AND order_id = ${LARGEST}`);
  const before = await version();
  const isGone = async () => {
    await mark({ missing: [FIRST, '2'] });
    await mark({ deleted: ['2'] });
  };
  await isGone();
  await mark({ returned: [FIRST, '2', LARGEST] }, LATER);
  expect((await marks()).flat()).toEqual(Array.from({ length: 6 }, () => null));
  expect(await version()).toEqual(before);
  await isGone();
  await warehouse.load(shopId, [orderToLoad(FIRST), orderToLoad('2')]);
  expect((await marks()).flat()).toEqual(Array.from({ length: 6 }, () => null));
});

test('an unresolved order is recorded with the first time it was unresolved, and removed once it is resolved', async () => {
  const booked = () =>
    warehouse.rows(sql`SELECT key, since, due_at - since = interval '1 day' AS is_a_day FROM ops.due
      WHERE shop_id = ${shopId} AND kind = 'missing' ORDER BY key`);
  await mark({ unresolved: [FIRST, '2'] });
  const first = await booked();
  expect(first).toMatchObject([
    { key: FIRST, is_a_day: true },
    { key: '2', is_a_day: true },
  ]);
  await mark({ unresolved: [FIRST], resolved: ['2'] });
  expect((await booked()).map(({ key, since }) => [key, since])).toEqual([[FIRST, first[0]?.['since']]]);
});
