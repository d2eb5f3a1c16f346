-- The ledger need not name every day: a day that it names speaks for the days before it that it does not, down to the
-- one that it names before it; its first day for all that is older.
CREATE OR REPLACE VIEW bi.completeness AS
WITH ledger_and_orders AS (
  SELECT
    shop_id, day, verified_at, orders_seen, attempts, last_error,
    0::bigint AS warehouse_orders, 0::bigint AS missing_orders
  FROM ops.days
  UNION ALL
  -- Orders may be in before their day is first written to the ledger: such a day is shown too.
  SELECT shop_id, day, NULL, NULL, 0::smallint, NULL, orders, 0
  FROM core.status_path_totals
  WHERE day IS NOT NULL
  UNION ALL
  SELECT shop_id, created_on, NULL, NULL, 0::smallint, NULL, 0, 1
  FROM core.orders
  WHERE missing_since IS NOT NULL AND deleted_at IS NULL AND created_on IS NOT NULL
),
days AS (
  SELECT
    shop_id, day,
    max(verified_at) AS verified_at,
    max(orders_seen) AS orders,
    sum(warehouse_orders)::bigint AS warehouse_orders,
    sum(missing_orders)::bigint AS missing_orders,
    max(attempts) AS attempts,
    max(last_error) AS last_error
  FROM ledger_and_orders
  GROUP BY shop_id, day
)
SELECT
  d.shop_id,
  s.shop_key AS shop,
  d.day,
  a.age_days,
  d.verified_at,
  d.orders,
  d.warehouse_orders,
  d.missing_orders,
  d.verified_at IS NOT NULL AS is_verified,
  f.freshness_target,
  d.verified_at IS NULL OR d.verified_at <= now() - f.freshness_target OR d.verified_at > now() AS is_due,
  d.attempts,
  d.last_error
FROM days d
JOIN core.shops s ON s.shop_id = d.shop_id
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date - d.day AS age_days) a
CROSS JOIN LATERAL (
  SELECT coalesce(
    (
      SELECT justify_hours(make_interval(secs => r.target_seconds))
      FROM ops.api_profiles p
      CROSS JOIN LATERAL jsonb_to_recordset(
        CASE WHEN jsonb_typeof(p.profile -> 'freshness') = 'array' THEN p.profile -> 'freshness' END
      ) AS r (younger_than_days integer, target_seconds double precision)
      WHERE p.shop_id = d.shop_id AND (r.younger_than_days IS NULL OR a.age_days < r.younger_than_days)
      ORDER BY r.younger_than_days NULLS LAST
      LIMIT 1
    ),
    CASE
      WHEN a.age_days < 2 THEN interval '5 minutes'
      WHEN a.age_days < 14 THEN interval '1 hour'
      WHEN a.age_days < 60 THEN interval '6 hours'
      WHEN a.age_days < 400 THEN interval '1 day'
      ELSE interval '7 days'
    END
  ) AS freshness_target
) f;
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.sync_freshness AS
SELECT
  s.shop_id,
  s.shop_key AS shop,
  ledger.first_day,
  ledger.last_day,
  ledger.complete_through,
  runs.last_ok_at,
  runs.last_run_at,
  newest.verified_at AS newest_verified_at,
  -- Days after the last that any sweep knew of were never verified, and are in no table.
  days.due_days + greatest(0, coalesce(today.day - ledger.last_day, 0)) AS due_days,
  days.failing_days,
  orders.orders,
  orders.orders_missing,
  orders.orders_without_lines,
  rejections.open_rejections
FROM core.shops s
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date AS day) today
CROSS JOIN LATERAL (
  SELECT
    min(day) AS first_day,
    max(day) AS last_day,
    -- An unverified day leaves the days open that lie between it and the one before it.
    max(day) FILTER (WHERE first_open IS NULL OR day < first_open) AS complete_through
  FROM (
    SELECT day, min(day) FILTER (WHERE verified_at IS NULL) OVER () AS first_open FROM ops.days WHERE shop_id = s.shop_id
  ) known
) ledger
LEFT JOIN ops.days newest ON newest.shop_id = s.shop_id AND newest.day = ledger.last_day
CROSS JOIN LATERAL (
  SELECT
    max(finished_at) FILTER (WHERE status = 'ok' AND kind IN ('sync', 'backfill')) AS last_ok_at,
    max(started_at) FILTER (WHERE kind IN ('sync', 'backfill')) AS last_run_at
  FROM ops.runs WHERE shop_id = s.shop_id
) runs
CROSS JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE is_due AND age_days >= 0) AS due_days,
    count(*) FILTER (WHERE attempts > 0) AS failing_days
  FROM bi.completeness WHERE shop_id = s.shop_id
) days
CROSS JOIN LATERAL (
  SELECT
    (SELECT coalesce(sum(orders), 0)::bigint FROM core.status_path_totals WHERE shop_id = s.shop_id) AS orders,
    (
      SELECT count(*) FROM core.orders
      WHERE shop_id = s.shop_id AND missing_since IS NOT NULL AND deleted_at IS NULL
    ) AS orders_missing,
    (
      SELECT count(*) FROM core.orders WHERE shop_id = s.shop_id AND lines_state <> 'ok' AND deleted_at IS NULL
    ) AS orders_without_lines
) orders
CROSS JOIN LATERAL (
  SELECT count(*) AS open_rejections FROM ops.rejections WHERE shop_id = s.shop_id AND resolved_at IS NULL
) rejections;
--> statement-breakpoint
COMMENT ON TABLE ops.days IS 'The ledger: one row per shop and day, with the last proof that the day here equals the day in the shop. A day without a row was empty when the next day that has one was verified. See bi.completeness.';
--> statement-breakpoint
COMMENT ON COLUMN bi.completeness.is_due IS 'True when the day was never verified, when its verification is as old as freshness_target or older, or when it was made by a clock that ran ahead.';
--> statement-breakpoint
-- What was learned of the lists of shops before is of no use any more.
UPDATE ops.api_profiles SET profile = profile - 'paging' - 'historyFrom' WHERE jsonb_typeof(profile) = 'object';
