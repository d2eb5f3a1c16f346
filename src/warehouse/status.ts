import { sql } from 'drizzle-orm';

import type { Db } from './database.ts';
import { openRejections } from './list-rejections.ts';

/** How complete and how fresh the copy of one shop is. Days and instants as text, as the database writes them. */
export type ShopStatus = {
  readonly first_day: string | null;
  readonly last_day: string | null;
  /** Every day from the first to this one was verified; null where the first was not. */
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
  /** Requests of the runs begun in the last 24 hours, per hour. */
  readonly requests_per_hour: number;
};

/** Reads the figures of one shop as they are now; days count from the first of the ledger. */
export async function readShopStatus(db: Db, shopId: number): Promise<ShopStatus> {
  const { rows } = await db.execute<ShopStatus>(sql`
    WITH known AS (
      SELECT min(day) AS first_day, max(day) AS last_day, count(verified_at)::int AS verified,
        max(verified_at) FILTER (WHERE day = (SELECT max(day) FROM ops.days WHERE shop_id = ${shopId})) AS newest
      FROM ops.days WHERE shop_id = ${shopId}
    ), gap AS (
      SELECT min(calendar.date)::date AS first_gap
      FROM known, generate_series(first_day::timestamp, last_day::timestamp, interval '1 day') AS calendar(date)
      WHERE NOT EXISTS (
        SELECT 1 FROM ops.days d
        WHERE d.shop_id = ${shopId} AND d.day = calendar.date::date AND d.verified_at IS NOT NULL)
    ), held AS (
      SELECT count(*) FILTER (WHERE deleted_at IS NULL)::int AS live,
        count(*) FILTER (WHERE missing_since IS NOT NULL AND deleted_at IS NULL)::int AS missing,
        count(*) FILTER (WHERE deleted_at IS NOT NULL)::int AS deleted,
        count(*) FILTER (WHERE lines_state <> 'ok')::int AS without_lines
      FROM core.orders WHERE shop_id = ${shopId}
    )
    SELECT first_day, last_day, nullif(coalesce(first_gap - 1, last_day), first_day - 1) AS complete_through,
      verified AS days_verified, coalesce(last_day - first_day + 1 - verified, 0) AS days_unverified,
      newest AS newest_verified_at,
      live AS orders, missing AS orders_missing, deleted AS orders_deleted, without_lines AS orders_without_lines,
      ${openRejections(shopId)} AS open_rejections,
      (SELECT coalesce(sum(requests), 0)::int / 24 FROM ops.runs
        WHERE shop_id = ${shopId} AND started_at > now() - interval '24 hours') AS requests_per_hour
    FROM known, gap, held`);
  const [status] = rows;
  if (status === undefined) throw new Error('the status query returned no row');
  return status;
}
