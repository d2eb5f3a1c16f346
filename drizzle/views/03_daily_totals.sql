CREATE OR REPLACE VIEW core.daily_totals AS
SELECT * FROM core.daily_sums s
WHERE NOT EXISTS (SELECT FROM ops.stale_sums m WHERE m.shop_id = s.shop_id AND m.day = s.day)
UNION ALL SELECT * FROM core.daily_recount;
