import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

/** Orders of each hour with any, in the shop's own time as if that were UTC, and the midnight of the first day that counts. */
export type OrderHours = {
  readonly fromMs: number;
  readonly hours: readonly { readonly hourMs: number; readonly orders: number }[];
};

/**
 * Counts the orders of the days before that of the last order.
 *
 * @returns undefined for a shop without orders until now
 */
export async function readOrderHours(
  db: Db,
  shopId: number,
  days: number,
  now: Temporal.Instant,
): Promise<OrderHours | undefined> {
  const { rows } = await db.execute<{ from_ms: number; hour_ms: number | null; orders: number }>(sql`
    WITH last AS (
      SELECT created_local::date AS day FROM core.orders WHERE shop_id = ${shopId}
        AND created_local <= ${now.toString()}::timestamptz AT TIME ZONE (SELECT timezone FROM core.shops WHERE shop_id = ${shopId})
      ORDER BY created_local DESC LIMIT 1
    )
    SELECT extract(epoch FROM (SELECT day FROM last) - ${days}::int)::float8 * 1000 AS from_ms,
      extract(epoch FROM date_trunc('hour', created_local))::float8 * 1000 AS hour_ms, count(*)::int AS orders
    FROM core.orders WHERE shop_id = ${shopId} AND deleted_at IS NULL
      AND created_local >= (SELECT day FROM last) - ${days}::int AND created_local < (SELECT day FROM last)
    GROUP BY 2`);
  const [first] = rows;
  if (first === undefined) return undefined;
  const hours = rows.map(({ hour_ms, orders }) => ({ hourMs: hour_ms ?? 0, orders }));
  return { fromMs: first.from_ms, hours };
}
