CREATE OR REPLACE VIEW bi.sync_freshness AS
SELECT
  s.shop_id,
  s.shop_key AS shop,
  f.first_day,
  f.last_day,
  f.complete_through,
  state.ok_at AS last_ok_at,
  greatest(state.looked_at, recorded.started_at) AS last_run_at,
  f.newest_verified_at,
  -- Days after the last one known to any sweep were never verified, and are in no table.
  coalesce(days.due_days, 0) + greatest(0, today.day - f.last_day) AS due_days,
  coalesce(days.failing_days, 0) AS failing_days,
  f.orders::bigint AS orders,
  f.orders_missing::bigint AS orders_missing,
  f.orders_without_lines::bigint AS orders_without_lines,
  f.open_rejections::bigint AS open_rejections,
  (state.memory #>> '{counts,at}')::timestamptz AS counted_at,
  (state.memory #>> '{counts,through}')::date AS counted_through,
  (state.memory #>> '{counts,orders}')::bigint AS counted_orders
FROM core.shops s
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date AS day) today
JOIN core.shop_summaries f ON f.shop_id = s.shop_id
LEFT JOIN ops.shop_state state ON state.shop_id = s.shop_id
-- One that has just begun, or failed at once, is in ops.runs alone.
LEFT JOIN LATERAL (
  SELECT started_at FROM ops.runs
  WHERE shop_id = s.shop_id AND kind IN ('sync', 'backfill') ORDER BY started_at DESC NULLS LAST LIMIT 1
) recorded ON true
-- For all shops at once: a Citus cannot look up rows on its nodes for each row of another table.
LEFT JOIN (
  SELECT shop_id, count(*) FILTER (WHERE is_due AND age_days >= 0) AS due_days, count(*) FILTER (WHERE attempts > 0) AS failing_days
  FROM bi.completeness GROUP BY shop_id
) days ON days.shop_id = s.shop_id
WHERE s.deletion_started_at IS NULL;

COMMENT ON VIEW bi.sync_freshness IS 'One row per shop: how complete and how fresh its copy is. For single days see bi.completeness. Of the four views of the sync, the one for how a shop is doing as a whole.';
COMMENT ON COLUMN bi.sync_freshness.last_day IS 'Last such day: the day of the latest sweep. NULL: no sweep yet.';
COMMENT ON COLUMN bi.sync_freshness.complete_through IS 'Every day from first_day to this one is verified, see bi.unverified_days. The latest day may have received more orders since, see newest_verified_at. NULL: first_day is not verified.';
COMMENT ON COLUMN bi.sync_freshness.last_ok_at IS 'When a sweep last completed everything. NULL: never.';
COMMENT ON COLUMN bi.sync_freshness.last_run_at IS 'When the latest sweep began, however it ended. NULL: none yet.';
COMMENT ON COLUMN bi.sync_freshness.newest_verified_at IS 'When last_day was last verified. NULL: not yet.';
COMMENT ON COLUMN bi.sync_freshness.due_days IS 'Days to verify now, by the rule of bi.completeness, including those since last_day.';
COMMENT ON COLUMN bi.sync_freshness.failing_days IS 'Days whose latest attempt failed; see bi.completeness for the reason.';
COMMENT ON COLUMN bi.sync_freshness.orders IS 'Orders in the warehouse, without deleted ones.';
COMMENT ON COLUMN bi.sync_freshness.orders_missing IS 'Of these, orders that the shop no longer lists and whose deletion is not confirmed yet.';
COMMENT ON COLUMN bi.sync_freshness.orders_without_lines IS 'Of these, orders whose lines are not loaded, not up to date, or doubtful: see lines_state in bi.orders.';
COMMENT ON COLUMN bi.sync_freshness.open_rejections IS 'Records and fields that could not be understood and are not resolved yet, without those of deleted orders.';
COMMENT ON COLUMN bi.sync_freshness.counted_at IS 'When the shop was last asked how many orders it has, to compare that with the warehouse. NULL: never.';
COMMENT ON COLUMN bi.sync_freshness.counted_through IS 'Every day from first_day to this one was counted then. NULL: none was.';
COMMENT ON COLUMN bi.sync_freshness.counted_orders IS 'Orders of these days in the warehouse at that time. NULL: they were never counted.';
