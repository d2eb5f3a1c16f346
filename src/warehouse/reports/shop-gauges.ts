import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';

/** Figures of one shop as its last runs left them: one statement reads those of all shops. */
export type ShopGauges = {
  readonly shopId: number;
  readonly shopKey: string;
  readonly timezone: string;
  readonly openRejections: number;
  /** When a sweep last verified every due day; if none has, when the shop was registered. */
  readonly lastCompleteAt: Temporal.Instant;
  readonly isLeased: boolean;
  readonly requestsPerHour: number;
};

/** For the row `t` of `ops.shop_state`: requests per hour, on the average of the last 24 hours. */
export const REQUESTS_PER_HOUR = sql`(
  SELECT coalesce(sum(requests), 0)::int / 24 FROM unnest(t.requests_by_hour) WITH ORDINALITY AS hours(requests, number)
  WHERE t.requests_hour - (number - 1) * interval '1 hour' > now() - interval '24 hours')`;

/** All registered shops that were not retired, by key. */
export async function readShopGauges(db: Db | Tx): Promise<readonly ShopGauges[]> {
  const { rows } = await db.execute<{
    shop_id: number;
    shop_key: string;
    timezone: string;
    rejections: number;
    complete: string;
    leased: boolean;
    requests: number;
  }>(sql`
    SELECT s.shop_id, s.shop_key, s.timezone, coalesce(f.open_rejections, 0) AS rejections,
      to_json(CASE WHEN t.completed_at <= now() THEN t.completed_at ELSE s.created_at END) #>> '{}' AS complete,
      coalesce(l.expires_at > now(), false) AS leased, coalesce(${REQUESTS_PER_HOUR}, 0) AS requests
    FROM core.shops s
    LEFT JOIN ops.shop_state t USING (shop_id)
    LEFT JOIN ops.shop_figures f USING (shop_id)
    LEFT JOIN ops.leases l USING (shop_id)
    WHERE s.retired_at IS NULL
    ORDER BY s.shop_key`);
  return rows.map((row) => ({
    shopId: row.shop_id,
    shopKey: row.shop_key,
    timezone: row.timezone,
    openRejections: row.rejections,
    lastCompleteAt: Temporal.Instant.from(row.complete),
    isLeased: row.leased,
    requestsPerHour: row.requests,
  }));
}
