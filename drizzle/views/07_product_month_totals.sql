CREATE OR REPLACE VIEW core.product_month_totals AS
SELECT * FROM core.product_months p
WHERE NOT EXISTS (
  SELECT FROM ops.stale_days s WHERE s.shop_id = p.shop_id AND date_trunc('month', s.day::timestamp)::date = p.month
)
UNION ALL SELECT * FROM core.product_month_recount;

COMMENT ON VIEW core.product_month_totals IS 'The sums of core.product_months, exact at any time, and those of orders without a day.';
COMMENT ON COLUMN core.product_month_totals.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.product_month_totals.month IS 'First day of the month in which the orders were placed.';
COMMENT ON COLUMN core.product_month_totals.product_oid IS 'Product. NULL: all sales with any known product.';
COMMENT ON COLUMN core.product_month_totals.orders IS 'Sales with at least one line of the product.';
