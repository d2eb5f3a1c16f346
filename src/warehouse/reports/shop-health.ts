import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

/** How a shop's sweeps have gone lately. */
export type ShopHealth = {
  /** Failed sweeps since the last one that made progress. */
  readonly failures: number;
  /** When the last of them ended. */
  readonly lastFailedAt: Temporal.Instant | undefined;
  /** Its error: a sentence without personal data. */
  readonly lastError: string | undefined;
  /** When today or yesterday, as the shop counts days, was last verified. */
  readonly freshAt: Temporal.Instant | undefined;
};

type Row = { failures: number; failed: string | null; error: string | null; fresh: string | null };

/**
 * Ignores times in the future, written while a clock was ahead.
 *
 * @param shopKey a shop that is not registered yet has no history
 */
export async function readShopHealth(db: Db, shopKey: string, now: Temporal.Instant): Promise<ShopHealth> {
  const { rows } = await db.execute<Row>(sql`
    WITH shop AS (SELECT shop_id, timezone FROM core.shops WHERE shop_key = ${shopKey}),
    -- Found from the newest run backwards, however many there are.
    last_good AS (
      SELECT started_at FROM ops.runs JOIN shop USING (shop_id)
      WHERE kind IN ('sync', 'backfill') AND (status = 'ok' OR status = 'partial' AND days_verified > 0)
      ORDER BY started_at DESC NULLS LAST LIMIT 1
    ),
    failed AS (
      SELECT finished_at, error FROM ops.runs JOIN shop USING (shop_id)
      WHERE kind IN ('sync', 'backfill') AND status = 'failed'
        AND started_at > coalesce((SELECT started_at FROM last_good), '-infinity')
    )
    SELECT
      (SELECT count(*)::int FROM failed) AS failures,
      (SELECT to_json(max(least(finished_at, ${now.toString()}::timestamptz))) #>> '{}' FROM failed) AS failed,
      (SELECT error FROM failed ORDER BY finished_at DESC LIMIT 1) AS error,
      (SELECT to_json(max(verified_at)) #>> '{}' FROM ops.days JOIN shop USING (shop_id)
        WHERE verified_at <= ${now.toString()}::timestamptz
          AND day >= (${now.toString()}::timestamptz AT TIME ZONE timezone)::date - 1) AS fresh`);
  const [row] = rows;
  const instant = (text: string | null | undefined) => (text ? Temporal.Instant.from(text) : undefined);
  return {
    failures: row?.failures ?? 0,
    lastFailedAt: instant(row?.failed),
    lastError: row?.error ?? undefined,
    freshAt: instant(row?.fresh),
  };
}
