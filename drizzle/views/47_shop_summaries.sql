-- The figures of a shop that its status, the status page, the metrics and bi.sync_freshness show. What a query does not ask for is not
-- counted: each part has one row per shop, so that the planner drops its join.
CREATE OR REPLACE VIEW core.shop_summaries AS
SELECT
  s.shop_id,
  ledger.first_day,
  ledger.last_day,
  ledger.complete_through,
  newest.verified_at AS newest_verified_at,
  coalesce(ledger.days_verified, 0)::int AS days_verified,
  coalesce(ledger.days_unverified, 0)::int AS days_unverified,
  coalesce(ledger.days_failed, 0)::int AS days_failed,
  ledger.day_error,
  ledger.retry_at,
  coalesce(totals.orders, 0)::int AS orders,
  coalesce(missing.orders, 0)::int AS orders_missing,
  missing.confirmed_at,
  coalesce(deleted.orders, 0)::int AS orders_deleted,
  coalesce(lines.without, 0)::int AS orders_without_lines,
  coalesce(lines.doubtful, 0)::int AS orders_with_doubtful_lines,
  coalesce(rejections.open, 0)::int AS open_rejections
FROM core.shops s
LEFT JOIN (
  SELECT
    d.shop_id,
    min(d.day) AS first_day,
    max(d.day) AS last_day,
    max(d.day) FILTER (WHERE u.days = '{}' OR d.day < lower(u.days)) AS complete_through,
    count(*) FILTER (WHERE NOT u.days @> d.day) AS days_verified,
    count(*) FILTER (WHERE u.days @> d.day) AS days_unverified,
    count(d.last_error) FILTER (WHERE d.verified_at IS NULL) AS days_failed,
    (array_agg(d.last_error ORDER BY d.day DESC) FILTER (WHERE d.verified_at IS NULL AND d.last_error IS NOT NULL))[1] AS day_error,
    min(d.retry_at) FILTER (WHERE d.verified_at IS NULL) AS retry_at
  FROM ops.days d
  JOIN bi.unverified_days u ON u.shop_id = d.shop_id
  GROUP BY d.shop_id
) ledger ON ledger.shop_id = s.shop_id
LEFT JOIN ops.days newest ON newest.shop_id = s.shop_id AND newest.day = ledger.last_day
LEFT JOIN (
  SELECT shop_id, sum(orders) AS orders FROM core.order_counts GROUP BY shop_id
) totals ON totals.shop_id = s.shop_id
LEFT JOIN (
  SELECT shop_id, count(*) AS orders, max(confirmed_at) AS confirmed_at FROM core.missing_orders GROUP BY shop_id
) missing ON missing.shop_id = s.shop_id
LEFT JOIN (
  SELECT shop_id, count(*) AS orders FROM core.orders
  WHERE missing_since IS NOT NULL AND deleted_at IS NOT NULL GROUP BY shop_id
) deleted ON deleted.shop_id = s.shop_id
LEFT JOIN (
  SELECT shop_id, count(*) AS without, count(*) FILTER (WHERE lines_state = 'doubtful') AS doubtful FROM core.orders
  WHERE lines_state <> 'ok' AND deleted_at IS NULL GROUP BY shop_id
) lines ON lines.shop_id = s.shop_id
LEFT JOIN (
  SELECT shop_id, count(*) AS open FROM core.open_rejections GROUP BY shop_id
) rejections ON rejections.shop_id = s.shop_id;
