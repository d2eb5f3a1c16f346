import { sql } from 'drizzle-orm';

import { ERASED_BELOW } from '../../erased.ts';
import type { Db } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';

/** What an order can be searched by in the shop's list. */
export type Contact = {
  /** null for guests and erased accounts. */
  readonly buyerOid: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly name: string | null;
};

/** The contacts of orders, by order id. */
export async function readContacts(
  db: Db,
  shopId: number,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, Contact>> {
  if (orderIds.length === 0) return new Map();
  const { rows } = await db.execute<Contact & { order_id: string }>(sql`
    SELECT order_id, CASE WHEN NOT is_guest AND buyer_oid >= ${ERASED_BELOW.toString()}::bigint THEN buyer_oid END AS "buyerOid",
      buyer_email AS email, buyer_phone AS phone, buyer_name AS name
    FROM core.orders
    WHERE shop_id = ${shopId}
      AND order_id IN ${valuesIn(orderIds)}`);
  return new Map(rows.map(({ order_id, ...contact }) => [order_id, contact]));
}
