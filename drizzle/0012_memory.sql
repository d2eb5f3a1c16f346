-- What only the program reads of what it remembers of a shop is one value.
ALTER TABLE "ops"."shop_state" ADD COLUMN "memory" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
UPDATE ops.shop_state SET memory = jsonb_strip_nulls(jsonb_build_object(
  'profile', jsonb_build_object('limit', page_limit, 'pageRows', page_rows, 'isUneven', is_uneven, 'totalMeaning', total_meaning),
  'listedOrders', listed_orders,
  'pausedUntil', paused_until,
  'audit', CASE WHEN audited_at IS NOT NULL THEN
    jsonb_build_object('finishedAt', audited_at, 'orders', coalesce(audit_orders, 0), 'total', audit_total) END,
  'counts', CASE WHEN counted_at IS NOT NULL AND counted_through IS NOT NULL THEN jsonb_build_object('at', counted_at,
    'through', counted_through, 'orders', coalesce(counted_orders, 0), 'facets', coalesce(counted_facets, 0), 'requestsLeft', 0) END,
  'countEveryMs', coalesce(count_every_seconds, 0) * 1000,
  'prunedAt', pruned_at,
  'loadRps', load_rps));--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.memory IS 'What sizes requests and is shown, and proves nothing: how the list is paged, the throttle state, the pause that the shop requested, the last audit and counts, requests by hour.';--> statement-breakpoint
COMMENT ON TABLE ops.shop_state IS 'What is remembered about each shop between runs.';
