CREATE OR REPLACE VIEW core.customer_totals AS
SELECT * FROM core.customer_sums s
WHERE NOT EXISTS (SELECT FROM ops.stale_sums m WHERE m.shop_id = s.shop_id AND m.customer_key = s.customer_key)
UNION ALL SELECT * FROM core.customer_recount;
