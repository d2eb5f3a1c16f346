import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import type { OrderToLoad } from './load-orders.ts';
import { orders } from '../schema/orders.ts';
import { findDiffering, valuesIn } from '../db/upsert.ts';

/** The ids of those given orders that are stored with other values. */
export async function findDifferingOrders(
  db: Db,
  shopId: number,
  rows: readonly OrderToLoad['row'][],
): Promise<readonly string[]> {
  // `views` counts visits, which do not change the order; it is stored as of the last change.
  const given = rows.map(({ views: _views, ...row }) => ({ ...row, shop_id: shopId }));
  const keys = await findDiffering(db, orders, given);
  return keys.map((key) => String(key['order_id']));
}

/** Makes the next sweep treat these orders as changed, and reload them. */
export async function clearFingerprints(tx: Tx, shopId: number, orderIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    UPDATE core.orders SET fingerprint = ''
    WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(orderIds)}`);
}
