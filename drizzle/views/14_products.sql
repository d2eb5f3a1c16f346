CREATE OR REPLACE VIEW bi.products AS
SELECT
  p.shop_id,
  p.shop,
  p.product_oid,
  p.product_name,
  p.skus,
  p.first_sale_date,
  p.last_sale_date,
  p.orders
FROM (
  SELECT
    m.shop_id,
    m.product_oid,
    -- Not by a join, after which the planner expects a two hundredth of the products, and compares each of them with each row.
    (SELECT s.shop_key FROM core.shops s WHERE s.shop_id = m.shop_id) AS shop,
    -- Beside the sums, so that it is looked up once for each product, and not for each row that the products are joined to.
    (
      SELECT ops.shown_text(l.product_name) FROM core.order_lines l
      WHERE l.shop_id = m.shop_id AND l.product_oid = m.product_oid AND l.product_name IS NOT NULL
      ORDER BY l.order_id DESC, l.line_no DESC LIMIT 1
    ) AS product_name,
    string_agg(DISTINCT ops.shown_text(k.sku), ', ' ORDER BY ops.shown_text(k.sku)) AS skus,
    min(m.first_day) AS first_sale_date,
    max(m.last_day) AS last_sale_date,
    (sum(m.orders) FILTER (WHERE coalesce(k.place, 1) = 1))::bigint AS orders
  FROM core.product_month_totals m
  LEFT JOIN LATERAL unnest(m.skus) WITH ORDINALITY AS k(sku, place) ON true
  WHERE m.product_oid IS NOT NULL
  GROUP BY m.shop_id, m.product_oid
) p;

COMMENT ON VIEW bi.products IS 'One row per shop and product with a number that is in an order which is not deleted. Join it on shop_id and product_oid for one name per product.';
COMMENT ON COLUMN bi.products.skus IS 'Its article numbers, separated by commas; variants may have different ones. NULL: none.';
COMMENT ON COLUMN bi.products.first_sale_date IS 'Day of its first sale, in the shop''s time zone. NULL: never sold, or only without a readable date.';
COMMENT ON COLUMN bi.products.last_sale_date IS 'Day of its latest sale. NULL: never sold, or only without a readable date.';
COMMENT ON COLUMN bi.products.orders IS 'Sales with at least one line of it.';
