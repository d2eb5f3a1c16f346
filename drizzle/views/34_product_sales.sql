CREATE OR REPLACE VIEW bi.product_sales AS
WITH sales AS (
  SELECT
    shop_id,
    shop,
    order_date,
    product_oid,
    (array_agg(product_name ORDER BY created_at DESC, order_id DESC, line_no DESC)
      FILTER (WHERE product_name IS NOT NULL))[1] AS product_name,
    sku,
    currency,
    count(DISTINCT order_id) AS orders,
    coalesce(sum(quantity), 0)::numeric(16, 3) AS quantity,
    coalesce(sum(line_total), 0)::numeric(16, 2) AS revenue,
    (sum(line_total) FILTER (WHERE quantity IS NOT NULL)
      / nullif(sum(quantity) FILTER (WHERE line_total IS NOT NULL), 0))::numeric(16, 2) AS avg_unit_price,
    coalesce(sum(line_discount), 0)::numeric(16, 2) AS line_discount
  FROM bi.order_lines
  WHERE is_sale
  -- Lines without a product number are grouped by name; otherwise they would count as one product.
  -- The day first: rows in the order of their shops tempt the planner to merge them with others by the shop alone.
  GROUP BY order_date, product_oid, currency, sku, CASE WHEN product_oid IS NULL THEN product_name END, shop_id, shop
)
SELECT sales.*, NOT u.line_days @> sales.order_date AS is_verified
FROM sales
LEFT JOIN bi.unverified_days u ON u.shop_id = sales.shop_id;

COMMENT ON VIEW bi.product_sales IS 'One row per shop, day, product, article number and currency; sales only. Filter on order_date and add up. Amounts are those of the lines: without delivery and without discounts on the whole order.';
COMMENT ON COLUMN bi.product_sales.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL: orders without a readable date.';
COMMENT ON COLUMN bi.product_sales.product_oid IS 'The shop''s number of the product; group by it, because names may change. NULL: the line had none; such products have one row per name.';
COMMENT ON COLUMN bi.product_sales.product_name IS 'Name of the product in the latest of the row''s orders; a renamed product keeps its old name on earlier days. NULL: none sent.';
COMMENT ON COLUMN bi.product_sales.sku IS 'Article number; variants of a product may have different ones. NULL: none.';
COMMENT ON COLUMN bi.product_sales.orders IS 'Sales that contain it; may be added up over days, but not over article numbers.';
COMMENT ON COLUMN bi.product_sales.quantity IS 'Units sold, over lines with a readable quantity.';
COMMENT ON COLUMN bi.product_sales.revenue IS 'Sum of the line totals after discount.';
COMMENT ON COLUMN bi.product_sales.avg_unit_price IS 'Revenue per unit, after discount, weighted by quantity. NULL: no line with a known quantity and total.';
COMMENT ON COLUMN bi.product_sales.line_discount IS 'Sum of the line totals before discount minus those after it; lines without a total before discount count as 0.';
COMMENT ON COLUMN bi.product_sales.is_verified IS 'True if the day was verified, and the lines of its orders are up to date: see line_days in bi.unverified_days. NULL: orders without a readable date.';
