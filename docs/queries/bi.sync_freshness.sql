-- Can I trust the figures up to today?
SELECT shop, complete_through, newest_verified_at, due_days, failing_days, orders_without_lines, open_rejections
FROM bi.sync_freshness;
