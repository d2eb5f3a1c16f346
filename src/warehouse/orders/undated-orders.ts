import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

/** Whether a shop has live orders without a readable date. */
export async function holdsUndated(db: Db, shopId: number): Promise<boolean> {
  const { rows } = await db.execute(sql`
    SELECT 1 FROM core.orders
    WHERE shop_id = ${shopId} AND created_local IS NULL AND missing_since IS NULL AND deleted_at IS NULL LIMIT 1`);
  return rows.length > 0;
}

/** Live orders of a shop, those without a date included. */
export async function countLiveOrders(db: Db, shopId: number): Promise<number> {
  const { rows } = await db.execute<{ orders: number }>(sql`
    SELECT count(*)::int AS orders FROM core.orders
    WHERE shop_id = ${shopId} AND missing_since IS NULL AND deleted_at IS NULL`);
  return rows[0]?.orders ?? 0;
}
