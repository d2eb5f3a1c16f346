CREATE OR REPLACE VIEW core.status_path_totals AS
SELECT * FROM core.status_paths p
WHERE NOT EXISTS (SELECT FROM ops.stale_days s WHERE s.shop_id = p.shop_id AND s.day = p.day)
UNION ALL SELECT * FROM core.status_path_recount;

COMMENT ON VIEW core.status_path_totals IS 'The sums of core.status_paths, exact at any time, and those of orders without a day.';
COMMENT ON COLUMN core.status_path_totals.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.status_path_totals.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.status_path_totals.status_code IS 'Current status of the orders.';
COMMENT ON COLUMN core.status_path_totals.earlier IS 'Other statuses in which the orders were seen before, sorted.';
COMMENT ON COLUMN core.status_path_totals.orders IS 'Number of orders.';
COMMENT ON COLUMN core.status_path_totals.currency IS 'Currency of the orders. NULL: not sent.';
COMMENT ON COLUMN core.status_path_totals.source IS 'What buyers entered in the extra field source, shortened to 100 characters; may be personal data. NULL: nothing.';
