CREATE OR REPLACE VIEW core.product_month_totals AS
SELECT * FROM core.product_months p
WHERE NOT EXISTS (
  SELECT FROM ops.stale_days s WHERE s.with_products AND s.shop_id = p.shop_id AND date_trunc('month', s.day::timestamp)::date = p.month
)
UNION ALL SELECT * FROM core.product_month_recount;

COMMENT ON VIEW core.product_month_totals IS 'The sums of core.product_months, exact at any time, and those of orders without a day.';
COMMENT ON COLUMN core.product_month_totals.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.product_month_totals.month IS 'First day of the month in which the orders were placed.';
COMMENT ON COLUMN core.product_month_totals.product_oid IS 'Product. NULL: all sales with any known product.';
COMMENT ON COLUMN core.product_month_totals.orders IS 'Sales with at least one line of the product; 0 if it was only in orders that are none.';
COMMENT ON COLUMN core.product_month_totals.first_day IS 'Day of the first sale in the month. NULL: none, or no readable date.';
COMMENT ON COLUMN core.product_month_totals.last_day IS 'Day of the latest sale in the month. NULL: none, or no readable date.';
COMMENT ON COLUMN core.product_month_totals.skus IS 'Article numbers in the lines of the product in the month, sorted. NULL: none, or the row is about all products.';
