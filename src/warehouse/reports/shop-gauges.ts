import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

/** Figures of one shop that are cheap to read, however many orders it has. */
export type ShopGauges = {
  readonly shopId: number;
  readonly shopKey: string;
  readonly timezone: string;
  readonly openRejections: number;
  /** When a sweep last verified every due day; if none has, when the shop was registered. */
  readonly lastCompleteAt: Temporal.Instant;
  readonly isLeased: boolean;
};

/** All registered shops that were not retired, by key. */
export async function readShopGauges(db: Db): Promise<readonly ShopGauges[]> {
  const { rows } = await db.execute<{
    shop_id: number;
    shop_key: string;
    timezone: string;
    rejections: number;
    complete: string;
    leased: boolean;
  }>(sql`
    SELECT s.shop_id, s.shop_key, s.timezone,
      (SELECT count(*)::int FROM ops.rejections r WHERE r.shop_id = s.shop_id AND r.resolved_at IS NULL) AS rejections,
      to_json(coalesce(greatest(
        (SELECT max(r.finished_at) FROM ops.runs r
          WHERE r.shop_id = s.shop_id AND r.kind IN ('sync', 'backfill') AND r.status = 'ok' AND r.finished_at <= now()),
        (SELECT t.completed_at FROM ops.shop_state t WHERE t.shop_id = s.shop_id AND t.completed_at <= now())),
        s.created_at)) #>> '{}' AS complete,
      EXISTS (SELECT FROM ops.leases l WHERE l.shop_id = s.shop_id AND l.expires_at > now()) AS leased
    FROM core.shops s WHERE s.retired_at IS NULL ORDER BY s.shop_key`);
  return rows.map((row) => ({
    shopId: row.shop_id,
    shopKey: row.shop_key,
    timezone: row.timezone,
    openRejections: row.rejections,
    lastCompleteAt: Temporal.Instant.from(row.complete),
    isLeased: row.leased,
  }));
}
