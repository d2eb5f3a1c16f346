CREATE OR REPLACE VIEW bi.sales_by_field AS
WITH sales AS (
  SELECT
    shop_id,
    shop,
    order_date,
    field_key,
    max(label) AS label,
    value,
    is_hidden,
    currency,
    count(*) AS orders,
    coalesce(sum(order_sum), 0)::numeric(16, 2) AS revenue,
    avg(order_sum)::numeric(16, 2) AS avg_order_value,
    count(DISTINCT customer_key) AS customers
  FROM bi.order_fields
  WHERE is_sale AND field_key IS NOT NULL
  GROUP BY shop_id, shop, order_date, field_key, value, is_hidden, currency
)
SELECT sales.*, NOT u.days @> sales.order_date AS is_verified
FROM sales
LEFT JOIN bi.unverified_days u ON u.shop_id = sales.shop_id;

COMMENT ON VIEW bi.sales_by_field IS 'One row per shop, day, extra field of the order form, value and currency; sales only. Only what bi.order_fields shows; fields whose key is hidden are left out. Filter on field_key and order_date and add up. Orders that lack the field have no row, so a field need not add up to all sales. Never add up different fields: an order counts once for each field it has.';
COMMENT ON COLUMN bi.sales_by_field.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL: orders without a readable date.';
COMMENT ON COLUMN bi.sales_by_field.field_key IS 'Key of the field.';
COMMENT ON COLUMN bi.sales_by_field.label IS 'Name of the field in the shop''s language; if there are several, the alphabetically last. NULL: none sent.';
COMMENT ON COLUMN bi.sales_by_field.value IS 'Value of the field; NULL: the orders have the field, but nothing was entered.';
COMMENT ON COLUMN bi.sales_by_field.is_hidden IS 'False: fields that are hidden have no rows.';
COMMENT ON COLUMN bi.sales_by_field.orders IS 'Number of sales with this value.';
COMMENT ON COLUMN bi.sales_by_field.customers IS 'Distinct customers of these sales; do not add up over days, values or currencies.';
