CREATE OR REPLACE VIEW core.status_path_totals AS
SELECT * FROM core.status_paths s
WHERE NOT EXISTS (SELECT FROM ops.stale_sums m WHERE m.shop_id = s.shop_id AND m.day = s.day)
UNION ALL SELECT * FROM core.status_path_recount;
