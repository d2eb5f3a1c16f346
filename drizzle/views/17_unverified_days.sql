-- Whoever reads figures by day joins this one: one row per shop, so that no join repeats a row, and the planner drops a join
-- whose columns a query does not ask for. The ranges are of all shops at once: a Citus cannot look up rows on its coordinator
-- for each row of another table.
CREATE OR REPLACE VIEW bi.unverified_days AS
SELECT
  s.shop_id,
  s.shop_key AS shop,
  coalesce(u.days, '{}') AS days,
  coalesce(u.line_days, '{}') AS line_days,
  known.first_day,
  known.last_day,
  coalesce(missing.orders, 0) AS missing_orders,
  missing.confirmed_at
FROM core.shops s
CROSS JOIN LATERAL (
  SELECT
    (SELECT min(day) FROM ops.days WHERE shop_id = s.shop_id) AS first_day,
    (now() AT TIME ZONE s.timezone)::date AS last_day
) known
LEFT JOIN (
  SELECT shop_id, range_agg(span) FILTER (WHERE NOT is_of_lines) AS days, range_agg(span) AS line_days
  FROM (
    -- By the rule of what is due, but that a verification does not get too old. By the first condition, few days are looked at: nowhere
    -- does one end later than 12 hours after it does in UTC. A row that was never verified also stands for the days before it that have
    -- none. What was dated ahead is listed with today.
    SELECT d.shop_id, daterange(CASE WHEN d.verified_at IS NULL THEN before.day ELSE d.day - 1 END,
      CASE WHEN d.day < today.day THEN d.day END, '(]') AS span, false AS is_of_lines
    FROM ops.days d
    JOIN core.shops s ON s.shop_id = d.shop_id
    CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date AS day) today
    CROSS JOIN LATERAL (SELECT max(day) AS day FROM ops.days WHERE shop_id = d.shop_id AND day < d.day) before
    WHERE (d.verified_at IS NULL OR d.verified_at AT TIME ZONE 'UTC' < d.day + 2)
      AND ops.is_due(d.day, d.verified_at, NULL, NULL, s.timezone, now())
    UNION ALL
    -- The days since the latest sweep, of which the ledger knows nothing yet.
    SELECT s.shop_id, daterange(latest.day, NULL, '()'), false
    FROM core.shops s
    CROSS JOIN LATERAL (SELECT max(day) AS day FROM ops.days WHERE shop_id = s.shop_id) latest
    WHERE latest.day IS NULL OR (s.deletion_started_at IS NULL AND latest.day < (now() AT TIME ZONE s.timezone)::date)
    UNION ALL
    SELECT shop_id, daterange(created_on, created_on, '[]'), is_of_lines
    FROM (
      SELECT DISTINCT shop_id, day AS created_on, false AS is_of_lines FROM core.missing_orders WHERE day IS NOT NULL
      UNION ALL
      SELECT DISTINCT shop_id, created_on, true
      FROM core.orders WHERE lines_state <> 'ok' AND deleted_at IS NULL AND created_on IS NOT NULL
    ) doubtful
  ) spans
  GROUP BY shop_id
) u ON u.shop_id = s.shop_id
LEFT JOIN (
  SELECT shop_id, count(*) AS orders, max(confirmed_at) AS confirmed_at FROM core.missing_orders GROUP BY shop_id
) missing ON missing.shop_id = s.shop_id;

COMMENT ON VIEW bi.unverified_days IS 'One row per shop: the days whose figures are not known to be the shop''s. A day that is not among them was read whole and found equal, and what came since is read as bi.completeness says. Join it on shop_id: NOT days @> order_date is true for rows of verified days. Orders without a readable date belong to no day. Of the four views of the sync, the one to say of an answer whether it is proven.';
COMMENT ON COLUMN bi.unverified_days.days IS 'Days that were not verified yet, that a sweep failed to verify, that were verified before they ended and are over, since the latest sweep, or with an order that the shop no longer lists and whose deletion is not confirmed yet. An end that is left out: all days before, or after. {}: none.';
COMMENT ON COLUMN bi.unverified_days.line_days IS 'These, and days with an order whose lines are not loaded, not up to date or doubtful: for figures of products. {}: none.';
COMMENT ON COLUMN bi.unverified_days.last_day IS 'Today, in the shop''s time zone.';
COMMENT ON COLUMN bi.unverified_days.missing_orders IS 'Orders that the shop no longer lists and whose deletion is not confirmed yet: the views still count them.';
COMMENT ON COLUMN bi.unverified_days.confirmed_at IS 'When the last of them is checked again: unless it is listed then, it is marked as deleted. NULL: there are none.';
