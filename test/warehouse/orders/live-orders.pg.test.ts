import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

import { readUnlisted } from '../../../src/warehouse/orders/live-orders.ts';
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
