-- Rows of core.product_months for the months with a day marked as stale, recomputed.
CREATE OR REPLACE VIEW core.product_month_recount AS
SELECT
  s.shop_id, s.month, p.product_oid,
  -- Each line counts for its product, and for all. Citus has no grouping sets.
  sum(CASE WHEN p.product_oid IS NULL THEN s.all_orders ELSE s.orders END)::bigint AS orders,
  min(s.first_day) AS first_day,
  max(s.last_day) AS last_day,
  array_agg(DISTINCT s.sku ORDER BY s.sku) FILTER (WHERE p.product_oid IS NOT NULL AND s.sku IS NOT NULL) AS skus
FROM (
  -- An order counts once, by its first line of a product and its first line of any: so all lines are added up by a hash, unsorted.
  SELECT
    o.shop_id, o.month, l.product_oid, l.sku,
    count(*) FILTER (WHERE t.is_sale AND l.of_product = 1) AS orders,
    count(*) FILTER (WHERE t.is_sale AND l.of_order = 1) AS all_orders,
    min(o.created_on) FILTER (WHERE t.is_sale) AS first_day,
    max(o.created_on) FILTER (WHERE t.is_sale) AS last_day
  FROM (
    SELECT s.shop_id, s.month, o.order_id, o.status_code, o.created_on
    FROM (SELECT DISTINCT shop_id, month FROM ops.stale_sums WHERE month IS NOT NULL) s
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
    SELECT product_oid, sku, row_number() OVER (PARTITION BY shop_id, product_oid) AS of_product,
      row_number() OVER (PARTITION BY shop_id) AS of_order
    FROM core.order_lines
    WHERE shop_id = o.shop_id AND order_id = o.order_id AND product_oid IS NOT NULL
    OFFSET 0
  ) l
  GROUP BY o.shop_id, o.month, l.product_oid, l.sku
) s
CROSS JOIN LATERAL (VALUES (s.product_oid), (NULL)) AS p(product_oid)
GROUP BY s.shop_id, s.month, p.product_oid;
