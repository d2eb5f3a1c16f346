import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

/** The largest identifiers that the warehouse holds of a shop; 0 where it holds none. */
export async function readLargestIds(
  db: Db,
  shopId: number,
): Promise<{ readonly order: bigint; readonly user: bigint }> {
  const { rows } = await db.execute<{ order: string; user: string }>(sql`
    SELECT (SELECT coalesce(max(order_id), 0)::text FROM core.orders WHERE shop_id = ${shopId}) AS order,
      (SELECT coalesce(max(user_oid), 0)::text FROM core.users WHERE shop_id = ${shopId}) AS user`);
  return { order: BigInt(rows[0]?.order ?? 0), user: BigInt(rows[0]?.user ?? 0) };
}
