import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { parseInstant } from '../db/instant.ts';

/** The order that was placed last, by the shop's own time. */
export type NewestOrder = {
  readonly createdLocal: Temporal.PlainDateTime;
  readonly firstSeenAt: Temporal.Instant;
};

/** @param until orders that are dated later are left out */
export async function readNewestOrder(
  db: Db,
  shopId: number,
  until: Temporal.PlainDateTime,
): Promise<NewestOrder | undefined> {
  const { rows } = await db.execute<{ created: string; seen: string }>(sql`
    SELECT created_local::text AS created, first_seen_at::text AS seen FROM core.orders
    WHERE shop_id = ${shopId} AND created_local <= ${until.toString()}::timestamp AND deleted_at IS NULL
    ORDER BY created_local DESC LIMIT 1`);
  const [row] = rows;
  if (row === undefined) return undefined;
  return { createdLocal: Temporal.PlainDateTime.from(row.created), firstSeenAt: parseInstant(row.seen) };
}
