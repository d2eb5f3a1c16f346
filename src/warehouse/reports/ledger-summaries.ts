import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';

/** Days that are to be verified equally often, and their orders. */
type RuleSummary = { readonly targetMs: number; readonly orders: number };

/** What a shop's ledger says as a whole. Days as text, as the database writes them. */
export type LedgerSummary = {
  readonly first_day: string;
  readonly last_day: string;
  /** Days up to today that are to be verified now; those since the last one that the ledger names are. */
  readonly days_due: number;
  readonly complete_through: string | null;
  readonly days_verified: number;
  readonly days_unverified: number;
  readonly newest_verified_at: Temporal.Instant | null;
  /** Days that could not be verified, why the newest of them could not, and when the first is tried again. */
  readonly days_failed: number;
  readonly day_error: string | null;
  readonly retry_at: Temporal.Instant | null;
  /** Orders that may be gone, and when the last of them is looked for once more. */
  readonly missing_orders: number;
  readonly confirmed_at: Temporal.Instant | null;
  readonly rules: readonly RuleSummary[];
};

/** Sums up the ledgers of all shops in one statement, by shop and the policy of its latest sweep; those without days are left out. */
export async function readLedgerSummaries(
  db: Db | Tx,
  now: Temporal.Instant,
): Promise<ReadonlyMap<number, LedgerSummary>> {
  const at = sql`${now.toString()}::timestamptz`;
  const { rows } = await db.execute<LedgerSummary & { shop_id: number }>(sql`
    WITH rules AS (
      SELECT s.shop_id, s.timezone, today.day AS today, r.rule, r.target_seconds,
        coalesce(today.day - r.younger_than_days, '-infinity') AS after,
        -- The future counts as today.
        coalesce(today.day - lag(r.younger_than_days) OVER (PARTITION BY s.shop_id ORDER BY r.rule), 'infinity') AS through
      FROM core.shops s
      JOIN ops.shop_state p ON p.shop_id = s.shop_id
      CROSS JOIN LATERAL (SELECT (${at} AT TIME ZONE s.timezone)::date AS day) today
      CROSS JOIN LATERAL ROWS FROM (
        jsonb_to_recordset(p.freshness) AS (younger_than_days integer, target_seconds double precision)
      ) WITH ORDINALITY AS r (younger_than_days, target_seconds, rule)
    ),
    counted AS (
      -- Without any day up to today, today stands for all.
      SELECT shop_id, (sum(due) + coalesce(max(today) - max(last_known_day), 1))::int AS days_due,
        json_agg(json_build_object('targetMs', target_seconds * 1000, 'orders', orders)) AS rules
      FROM (
        SELECT r.shop_id, r.today, r.target_seconds, coalesce(sum(d.orders_seen), 0) AS orders,
          max(d.day) FILTER (WHERE d.day <= r.today) AS last_known_day,
          count(*) FILTER (WHERE d.day <= r.today
            AND ops.is_due(d.day, d.verified_at, m.confirmed_at, r.target_seconds, r.timezone, ${at})) AS due
        FROM rules r JOIN ops.days d ON d.shop_id = r.shop_id AND d.day > r.after AND d.day <= r.through
          LEFT JOIN (SELECT shop_id, day, min(confirmed_at) AS confirmed_at FROM core.missing_orders GROUP BY shop_id, day) m
            ON m.shop_id = d.shop_id AND m.day = d.day
        GROUP BY r.shop_id, r.today, r.target_seconds
      ) r
      GROUP BY shop_id
    )
    SELECT f.shop_id, f.first_day, f.last_day, c.days_due, f.complete_through, f.days_verified, f.days_unverified,
      f.newest_verified_at, f.days_failed, f.day_error, f.retry_at, f.orders_missing AS missing_orders, f.confirmed_at, c.rules
    FROM counted c JOIN core.shop_summaries f ON f.shop_id = c.shop_id`);
  return new Map(rows.map(({ shop_id, ...summary }) => [shop_id, summary]));
}
