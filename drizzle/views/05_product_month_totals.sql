CREATE OR REPLACE VIEW core.product_month_totals AS
SELECT * FROM core.product_months s
WHERE NOT EXISTS (SELECT FROM ops.stale_sums m WHERE m.shop_id = s.shop_id AND m.month = s.month)
UNION ALL SELECT * FROM core.product_month_recount;
