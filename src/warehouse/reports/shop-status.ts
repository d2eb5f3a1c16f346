import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { openRejections } from '../ops/list-rejections.ts';
import { REQUESTS_PER_HOUR } from './shop-gauges.ts';

/** How complete and how fresh the copy of one shop is. Days and instants as text, as the database writes them. */
export type ShopStatus = {
  readonly first_day: string | null;
  readonly last_day: string | null;
  /** Every day up to this one was verified; null if the first was not. */
  readonly complete_through: string | null;
  readonly days_verified: number;
  readonly days_unverified: number;
  /** When the newest day was last verified. */
  readonly newest_verified_at: string | null;
  readonly orders: number;
  readonly orders_missing: number;
  readonly orders_deleted: number;
  readonly orders_without_lines: number;
  readonly open_rejections: number;
  /** Requests per hour, on the average of the last 24 hours. */
  readonly requests_per_hour: number;
};

/** Days are those in the ledger. */
export async function readShopStatus(db: Db, shopId: number): Promise<ShopStatus> {
  const { rows } = await db.execute<ShopStatus>(sql`
    WITH days AS (
      SELECT day, verified_at, min(day) FILTER (WHERE verified_at IS NULL) OVER () AS first_open
      FROM ops.days WHERE shop_id = ${shopId}
    ), known AS (
      SELECT min(day) AS first_day, max(day) AS last_day, count(verified_at)::int AS verified,
        count(*) FILTER (WHERE verified_at IS NULL)::int AS unverified,
        max(day) FILTER (WHERE first_open IS NULL OR day < first_open) AS complete_through,
        max(verified_at) FILTER (WHERE day = (SELECT max(day) FROM days)) AS newest
      FROM days
    ), held AS (
      SELECT count(*) FILTER (WHERE deleted_at IS NULL)::int AS live,
        count(*) FILTER (WHERE missing_since IS NOT NULL AND deleted_at IS NULL)::int AS missing,
        count(*) FILTER (WHERE deleted_at IS NOT NULL)::int AS deleted,
        count(*) FILTER (WHERE lines_state <> 'ok' AND deleted_at IS NULL)::int AS without_lines
      FROM core.orders WHERE shop_id = ${shopId}
    )
    SELECT first_day, last_day, complete_through, verified AS days_verified, unverified AS days_unverified,
      newest AS newest_verified_at,
      live AS orders, missing AS orders_missing, deleted AS orders_deleted, without_lines AS orders_without_lines,
      ${openRejections(shopId)} AS open_rejections,
      coalesce((SELECT ${REQUESTS_PER_HOUR} FROM ops.shop_state t WHERE t.shop_id = ${shopId}), 0) AS requests_per_hour
    FROM known, held`);
  const [status] = rows;
  if (status === undefined) throw new Error('the status query returned no row');
  return status;
}
