CREATE OR REPLACE VIEW bi.customers AS
SELECT
  c.shop_id,
  s.shop_key AS shop,
  c.customer_key,
  c.currency,
  c.first_day AS first_order_date,
  c.last_day AS last_order_date,
  c.orders,
  coalesce(c.revenue, 0)::numeric(16, 2) AS lifetime_revenue,
  (c.revenue / nullif(c.priced_orders, 0))::numeric(16, 2) AS avg_order_value,
  c.orders > 1 AS is_repeat,
  c.is_guest,
  u.group_oid,
  g.name AS user_group
FROM core.customer_totals c
JOIN core.shops s ON s.shop_id = c.shop_id
LEFT JOIN core.users u ON u.shop_id = c.shop_id AND u.user_oid = c.buyer_oid
LEFT JOIN core.user_groups g ON g.shop_id = u.shop_id AND g.group_oid = u.group_oid;

COMMENT ON VIEW bi.customers IS 'One row per shop, customer and currency with at least one sale. A customer who bought in two currencies has two rows: count customers with count(DISTINCT customer_key) within a shop.';
COMMENT ON COLUMN bi.customers.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.customers.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.customers.customer_key IS 'Pseudonym of the buyer, as in bi.orders; a guest without contact counts as a new customer with every order.';
COMMENT ON COLUMN bi.customers.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.customers.first_order_date IS 'Day of the first sale in this currency, in the shop''s time zone. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customers.last_order_date IS 'Day of the latest sale in this currency, in the shop''s time zone. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customers.orders IS 'Number of sales in this currency.';
COMMENT ON COLUMN bi.customers.lifetime_revenue IS 'Sum of the order totals of these sales.';
COMMENT ON COLUMN bi.customers.avg_order_value IS 'Revenue per sale, over the sales with a known total. NULL: no such sale.';
COMMENT ON COLUMN bi.customers.is_repeat IS 'True if there is more than one sale in this currency.';
COMMENT ON COLUMN bi.customers.is_guest IS 'True if none of these sales has a registered buyer.';
COMMENT ON COLUMN bi.customers.group_oid IS 'The shop''s number of the registered buyer''s group. NULL: a guest, or no known group.';
COMMENT ON COLUMN bi.customers.user_group IS 'Name of the registered buyer''s group today. NULL: a guest, or no known group.';

SELECT ops.grant_to_reader('bi.customers');
