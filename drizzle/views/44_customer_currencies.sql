CREATE OR REPLACE VIEW bi.customer_currencies AS
SELECT
  c.shop_id,
  s.shop_key AS shop,
  c.customer_key,
  c.currency,
  c.is_main,
  c.first_day AS first_order_date,
  c.last_day AS last_order_date,
  c.orders,
  coalesce(c.revenue, 0)::numeric(16, 2) AS lifetime_revenue,
  (c.revenue / nullif(c.priced_orders, 0))::numeric(16, 2) AS avg_order_value,
  h.history_from
FROM core.customer_totals c
JOIN core.shops s ON s.shop_id = c.shop_id
LEFT JOIN core.histories h ON h.shop_id = c.shop_id;

COMMENT ON VIEW bi.customer_currencies IS 'One row per shop, customer and currency with at least one sale. For one row per customer use bi.customers.';
COMMENT ON COLUMN bi.customer_currencies.customer_key IS 'Pseudonym of the buyer, as in bi.orders; a guest without contact counts as a new customer with every order.';
COMMENT ON COLUMN bi.customer_currencies.is_main IS 'True for the customer''s main currency: that of most sales; of several with as many, the one of the latest sale.';
COMMENT ON COLUMN bi.customer_currencies.first_order_date IS 'Day of the first sale in this currency, in the shop''s time zone. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customer_currencies.last_order_date IS 'Day of the latest sale in this currency, in the shop''s time zone. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customer_currencies.orders IS 'Number of sales in this currency.';
COMMENT ON COLUMN bi.customer_currencies.lifetime_revenue IS 'Sum of the order totals of these sales.';
