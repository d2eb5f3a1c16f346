CREATE OR REPLACE VIEW core.product_month_recount AS
SELECT
  o.shop_id, o.month, p.product_oid,
  count(DISTINCT o.order_id) FILTER (WHERE t.is_sale) AS orders,
  min(o.created_on) FILTER (WHERE t.is_sale) AS first_day,
  max(o.created_on) FILTER (WHERE t.is_sale) AS last_day,
  array_agg(DISTINCT l.sku ORDER BY l.sku) FILTER (WHERE p.product_oid IS NOT NULL AND l.sku IS NOT NULL) AS skus
FROM (
  SELECT s.shop_id, s.month, o.order_id, o.status_code, o.created_on
  FROM (SELECT DISTINCT shop_id, date_trunc('month', day::timestamp)::date AS month FROM ops.stale_days WHERE with_products) s
  CROSS JOIN LATERAL (
    SELECT order_id, status_code, created_on FROM core.orders
    WHERE shop_id = s.shop_id AND created_on >= s.month AND created_on < s.month + interval '1 month'
      AND deleted_at IS NULL
    OFFSET 0
  ) o
  UNION ALL
  SELECT shop_id, NULL::date, order_id, status_code, NULL::date FROM core.orders WHERE created_on IS NULL AND deleted_at IS NULL
) o
JOIN core.order_statuses t USING (shop_id, status_code)
CROSS JOIN LATERAL (
  SELECT product_oid, sku FROM core.order_lines
  WHERE shop_id = o.shop_id AND order_id = o.order_id AND product_oid IS NOT NULL
  OFFSET 0
) l
-- Each line counts for its product, and for all. Citus has no grouping sets.
CROSS JOIN LATERAL (VALUES (l.product_oid), (NULL)) AS p(product_oid)
GROUP BY o.shop_id, o.month, p.product_oid;

COMMENT ON VIEW core.product_month_recount IS 'Rows of core.product_months for the months with a day marked as stale, recomputed.';
COMMENT ON COLUMN core.product_month_recount.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.product_month_recount.month IS 'First day of the month in which the orders were placed.';
COMMENT ON COLUMN core.product_month_recount.product_oid IS 'Product. NULL: all sales with any known product.';
COMMENT ON COLUMN core.product_month_recount.orders IS 'Sales with at least one line of the product; 0 if it was only in orders that are none.';
COMMENT ON COLUMN core.product_month_recount.first_day IS 'Day of the first sale in the month. NULL: none, or no readable date.';
COMMENT ON COLUMN core.product_month_recount.last_day IS 'Day of the latest sale in the month. NULL: none, or no readable date.';
COMMENT ON COLUMN core.product_month_recount.skus IS 'Article numbers in the lines of the product in the month, sorted. NULL: none, or the row is about all products.';
