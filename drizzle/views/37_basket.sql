CREATE OR REPLACE VIEW bi.basket AS
WITH products AS MATERIALIZED (
  -- The planner takes the rows of one shop for a two hundredth of all sums, so that after a join of shops and sums by the shop alone it
  -- would compare every pair with every product: the name of the shop is looked up here.
  SELECT b.shop_id, (SELECT s.shop_key FROM core.shops s WHERE s.shop_id = b.shop_id) AS shop, b.product_oid, b.orders, ops.shown_text(latest.product_name) AS product_name
  FROM (
    SELECT shop_id, product_oid, sum(orders)::bigint AS orders
    FROM core.product_month_totals WHERE product_oid IS NOT NULL GROUP BY shop_id, product_oid HAVING sum(orders) > 0
  ) b
  LEFT JOIN LATERAL (
    SELECT l.product_name FROM core.order_lines l
    WHERE l.shop_id = b.shop_id AND l.product_oid = b.product_oid AND l.product_name IS NOT NULL
    ORDER BY l.order_id DESC, l.line_no DESC LIMIT 1
  ) latest ON true
),
totals AS (
  SELECT shop_id, sum(orders)::bigint AS orders
  FROM core.product_month_totals WHERE product_oid IS NULL GROUP BY shop_id
),
-- A filter on either product reaches its lines. Each pair counts once per order, which two hashes do faster than a count of distinct orders.
pairs AS (
  SELECT shop_id, product_oid, with_product_oid, count(*) AS orders
  FROM (
    SELECT one.shop_id, one.product_oid, other.product_oid AS with_product_oid
    FROM core.order_lines one
    JOIN core.order_lines other
      ON other.shop_id = one.shop_id AND other.order_id = one.order_id AND other.product_oid <> one.product_oid
    JOIN core.orders o ON o.shop_id = one.shop_id AND o.order_id = one.order_id
    JOIN core.order_statuses t ON t.shop_id = o.shop_id AND t.status_code = o.status_code
    WHERE t.is_sale AND o.deleted_at IS NULL
    GROUP BY one.shop_id, one.order_id, one.product_oid, other.product_oid
  ) per_order
  GROUP BY shop_id, product_oid, with_product_oid
)
SELECT
  p.shop_id,
  x.shop,
  p.product_oid,
  x.product_name,
  p.with_product_oid,
  y.product_name AS with_product_name,
  p.orders AS orders_together,
  x.orders AS product_orders,
  y.orders AS with_product_orders,
  t.orders AS all_orders,
  (100.0 * p.orders / t.orders)::numeric(7, 4) AS support_percent,
  (100.0 * p.orders / x.orders)::numeric(7, 4) AS confidence_percent,
  -- As far as the planner knows this may have a value without them, so a filter on it does not make the left joins below inner ones.
  CASE WHEN x.orders > 0 AND y.orders > 0 THEN 1.0 * p.orders * t.orders / (x.orders * y.orders) END::numeric(14, 4) AS lift
FROM pairs p
-- Every product has a row. It is a left join anyway: for an inner join the planner estimates too few rows, and then compares
-- every pair with every product.
LEFT JOIN totals t ON t.shop_id = p.shop_id
LEFT JOIN products x ON x.shop_id = p.shop_id AND x.product_oid = p.product_oid
LEFT JOIN products y ON y.shop_id = p.shop_id AND y.product_oid = p.with_product_oid;

COMMENT ON VIEW bi.basket IS 'One row per shop and pair of products that were bought in one sale, in both directions: filter on product_oid to see what goes with it. Covers all sales with a known product in any currency; a product counts once per order, whatever its variants and quantity. Filter on product_oid: without it, every pair of lines of every sale is counted.';
COMMENT ON COLUMN bi.basket.with_product_oid IS 'The shop''s number of the product bought with it.';
COMMENT ON COLUMN bi.basket.with_product_name IS 'Name of that product in the order with the highest number. NULL: never sent.';
COMMENT ON COLUMN bi.basket.orders_together IS 'Sales that contain both.';
COMMENT ON COLUMN bi.basket.product_orders IS 'Sales that contain product_oid, with or without the other.';
COMMENT ON COLUMN bi.basket.with_product_orders IS 'Sales that contain with_product_oid, with or without the other.';
COMMENT ON COLUMN bi.basket.all_orders IS 'Sales of the shop that contain any product.';
COMMENT ON COLUMN bi.basket.support_percent IS 'Share of all_orders that contain both, in percent.';
COMMENT ON COLUMN bi.basket.confidence_percent IS 'Share of product_orders that also contain the other product, in percent.';
COMMENT ON COLUMN bi.basket.lift IS 'How many times more often the two are bought together than if they were unrelated; 1: equally often. Means little if orders_together is small.';
