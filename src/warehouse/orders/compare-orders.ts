import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import type { OrderToLoad } from './load-orders.ts';
import { orders } from '../schema/orders.ts';
import { differing } from '../db/upsert.ts';

/** Of orders as they should be held, those that are held with other values. */
export async function findUnlike(
  db: Db,
  shopId: number,
  rows: readonly OrderToLoad['row'][],
): Promise<readonly string[]> {
  // `views` counts visits: it is no change of the order, and is held as of the last one.
  const given = rows.map(({ views: _views, ...row }) => ({ ...row, shop_id: shopId }));
  const keys = await differing(db, orders, given);
  return keys.map((key) => String(key['order_id']));
}

/** Makes the next sweep of their days take these orders for changed, and load them again whole. */
export async function forgetFingerprints(tx: Tx, shopId: number, orderIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    UPDATE core.orders SET fingerprint = ''
    WHERE shop_id = ${shopId} AND order_id IN (
      SELECT id::bigint FROM json_array_elements_text(${JSON.stringify(orderIds)}::json) AS id)`);
}
