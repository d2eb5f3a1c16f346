-- The ledger does not need a row for every day: a row also covers the days before it that have none, down to the previous
-- row. The first row covers everything older. A day is due by the policy of the shop's latest sweep, or before the first
-- sweep by the one with which the shop was registered.
CREATE OR REPLACE VIEW bi.completeness AS
WITH ledger_and_orders AS (
  SELECT
    shop_id, day, verified_at, orders_seen, attempts, last_error,
    0::bigint AS warehouse_orders, 0::bigint AS missing_orders, NULL::timestamptz AS confirmed_at
  FROM ops.days
  UNION ALL
  -- Orders may be loaded before their day is in the ledger: such days are shown too.
  SELECT shop_id, day, NULL, NULL, 0::smallint, NULL, orders, 0, NULL
  FROM core.order_counts
  WHERE day IS NOT NULL
  UNION ALL
  SELECT shop_id, day, NULL, NULL, 0::smallint, NULL, 0, 1, confirmed_at
  FROM core.missing_orders
  WHERE day IS NOT NULL
),
days AS (
  SELECT
    shop_id, day,
    max(verified_at) AS verified_at,
    max(orders_seen) AS orders,
    sum(warehouse_orders)::bigint AS warehouse_orders,
    sum(missing_orders)::bigint AS missing_orders,
    max(confirmed_at) AS confirmed_at,
    min(confirmed_at) AS due_at,
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
  NOT u.days @> d.day AS is_verified,
  justify_hours(make_interval(secs => f.target_seconds)) AS freshness_target,
  ops.is_due(d.day, d.verified_at, d.due_at, f.target_seconds, s.timezone, now()) AS is_due,
  d.attempts,
  d.last_error,
  d.confirmed_at
FROM days d
JOIN core.shops s ON s.shop_id = d.shop_id
JOIN bi.unverified_days u ON u.shop_id = d.shop_id
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date - d.day AS age_days) a
CROSS JOIN LATERAL (
  SELECT (
    SELECT r.target_seconds
    FROM ops.shop_state p
    CROSS JOIN LATERAL jsonb_to_recordset(p.freshness) AS r (younger_than_days integer, target_seconds double precision)
    WHERE p.shop_id = d.shop_id AND (r.younger_than_days IS NULL OR a.age_days < r.younger_than_days)
    ORDER BY r.younger_than_days NULLS LAST
    LIMIT 1
  ) AS target_seconds
) f;

COMMENT ON VIEW bi.completeness IS 'One row per shop and day: when the day was last compared with the shop, and whether both had the same orders. A day that was never attempted and has no orders has no row. Of the four views of the sync, the one for a single day: when it was read, whether it is due, why it failed.';
COMMENT ON COLUMN bi.completeness.day IS 'Calendar day in the shop''s time zone.';
COMMENT ON COLUMN bi.completeness.age_days IS 'Age of the day in days, in the shop''s time zone; today is 0.';
COMMENT ON COLUMN bi.completeness.verified_at IS 'When the day was last read whole and found equal to this warehouse. NULL: not yet.';
COMMENT ON COLUMN bi.completeness.orders IS 'Orders that the shop had on the day at that time. NULL: not verified yet.';
COMMENT ON COLUMN bi.completeness.warehouse_orders IS 'Orders of the day now in the warehouse, without deleted ones.';
COMMENT ON COLUMN bi.completeness.missing_orders IS 'Of these, orders that the shop no longer lists and whose deletion is not confirmed yet; they explain a difference between orders and warehouse_orders.';
COMMENT ON COLUMN bi.completeness.is_verified IS 'True if the day is verified: see days in bi.unverified_days.';
COMMENT ON COLUMN bi.completeness.freshness_target IS 'Maximum time between verifications of a day of this age, by the freshness policy of the latest sweep.';
COMMENT ON COLUMN bi.completeness.is_due IS 'True if the day was never verified, if its verification is at least as old as freshness_target or older than the end of the day, if an order of it is to be confirmed as deleted, or if a clock that ran ahead recorded it.';
COMMENT ON COLUMN bi.completeness.attempts IS 'Failed attempts to verify the day since the last success.';
COMMENT ON COLUMN bi.completeness.last_error IS 'Why the latest attempt failed. NULL: it did not fail.';
COMMENT ON COLUMN bi.completeness.confirmed_at IS 'When the last of missing_orders is checked again: unless it is listed then, it is marked as deleted. NULL: there are none.';
