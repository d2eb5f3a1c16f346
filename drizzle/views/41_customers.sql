CREATE OR REPLACE VIEW bi.customers AS
SELECT
  c.shop_id,
  s.shop_key AS shop,
  c.customer_key,
  c.currency,
  c.all_first_day AS first_order_date,
  c.all_last_day AS last_order_date,
  c.all_orders,
  coalesce(c.revenue, 0)::numeric(16, 2) AS lifetime_revenue,
  (c.revenue / nullif(c.priced_orders, 0))::numeric(16, 2) AS avg_order_value,
  CASE WHEN c.all_orders > 1 THEN true WHEN h.history_from IS NULL THEN false END AS is_repeat,
  c.is_guest,
  u.group_oid,
  ops.shown_text(g.name) AS user_group,
  c.orders,
  c.currencies,
  u.created_local::date AS registered_on,
  h.history_from
FROM core.customer_totals c
JOIN core.shops s ON s.shop_id = c.shop_id
LEFT JOIN core.users u ON u.shop_id = c.shop_id AND u.user_oid = c.buyer_oid
LEFT JOIN core.user_groups g ON g.shop_id = u.shop_id AND g.group_oid = u.group_oid
LEFT JOIN core.histories h ON h.shop_id = c.shop_id
WHERE c.is_main;

COMMENT ON VIEW bi.customers IS 'One row per shop and customer with at least one sale, whatever the currencies. Amounts are those in the customer''s main currency; bi.customer_currencies has those in all.';
COMMENT ON COLUMN bi.customers.customer_key IS 'Pseudonym of the buyer, as in bi.orders; a guest without contact counts as a new customer with every order.';
COMMENT ON COLUMN bi.customers.currency IS 'The customer''s main currency, that of most sales; of several with as many, the one of the latest sale. All amounts of the row are in it. NULL: the shop sent none.';
COMMENT ON COLUMN bi.customers.first_order_date IS 'Day of the first sale in any currency, in the shop''s time zone; of those loaded, see history_from. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customers.orders IS 'Number of sales in the main currency, as lifetime_revenue.';
COMMENT ON COLUMN bi.customers.avg_order_value IS 'Revenue per sale in the main currency, over the sales with a known total. NULL: no such sale.';
COMMENT ON COLUMN bi.customers.is_repeat IS 'True if there is more than one sale in any currency. NULL: only one is loaded, and not the whole history.';
COMMENT ON COLUMN bi.customers.is_guest IS 'True if none of these sales has a registered buyer.';
COMMENT ON COLUMN bi.customers.group_oid IS 'The shop''s number of the registered buyer''s group. NULL: a guest, or no known group.';
COMMENT ON COLUMN bi.customers.user_group IS 'Name of the registered buyer''s group today. NULL: a guest, or no known group.';
COMMENT ON COLUMN bi.customers.all_orders IS 'Number of sales in all currencies.';
COMMENT ON COLUMN bi.customers.currencies IS 'Number of currencies in which the customer bought.';
COMMENT ON COLUMN bi.customers.registered_on IS 'Day on which the account was created, in the shop''s time zone. NULL: a guest, or the shop did not send it.';
