CREATE OR REPLACE VIEW bi.daily_sales AS
WITH parts AS (
  SELECT
    shop_id, day, currency, orders, revenue, priced_orders, paid, items, customers, 0::bigint AS new_customers,
    cancelled_orders, returned_orders, draft_orders, other_orders
  FROM core.daily_totals
  UNION ALL
  -- Added as rows, not joined: so a filter on the date reaches this part as well.
  SELECT shop_id, new_on, currency, 0, NULL, 0, NULL, NULL, 0, count(*), 0, 0, 0, 0
  FROM core.customer_totals
  WHERE new_on IS NOT NULL
  GROUP BY shop_id, new_on, currency
)
SELECT
  p.shop_id,
  s.shop_key AS shop,
  p.day AS order_date,
  p.currency,
  sum(p.orders)::bigint AS orders,
  coalesce(sum(p.revenue), 0)::numeric(16, 2) AS revenue,
  coalesce(sum(p.paid), 0)::numeric(16, 2) AS paid,
  (sum(p.revenue) / nullif(sum(p.priced_orders), 0))::numeric(16, 2) AS avg_order_value,
  coalesce(sum(p.items), 0)::bigint AS items,
  sum(p.customers)::bigint AS customers,
  sum(p.new_customers)::bigint AS new_customers,
  sum(p.cancelled_orders)::bigint AS cancelled_orders,
  sum(p.returned_orders)::bigint AS returned_orders,
  sum(p.draft_orders)::bigint AS draft_orders,
  sum(p.other_orders)::bigint AS other_orders,
  CASE WHEN p.day IS NULL THEN 0 ELSE sum(p.customers)::bigint - sum(p.new_customers)::bigint END AS returning_customers
FROM parts p
JOIN core.shops s ON s.shop_id = p.shop_id
GROUP BY p.shop_id, s.shop_key, p.day, p.currency;

COMMENT ON VIEW bi.daily_sales IS 'One row per shop, day and currency on which an order was placed. Money and customers are of sales alone; cancelled, returned, draft and other orders are counted beside them; deleted ones nowhere. Days without an order have no row.';
COMMENT ON COLUMN bi.daily_sales.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.daily_sales.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.daily_sales.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL gathers the orders without a readable date, so that totals agree with bi.orders.';
COMMENT ON COLUMN bi.daily_sales.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.daily_sales.orders IS 'Number of sales.';
COMMENT ON COLUMN bi.daily_sales.revenue IS 'Sum of the order totals of the sales; 0 when there were none.';
COMMENT ON COLUMN bi.daily_sales.paid IS 'What has been paid of these sales up to now, on whatever day it was paid.';
COMMENT ON COLUMN bi.daily_sales.avg_order_value IS 'Revenue per sale, over the sales whose total is known. NULL: no such sale. Over several days divide the sums rather than averaging this.';
COMMENT ON COLUMN bi.daily_sales.items IS 'Items in the sales, as the shop counts them.';
COMMENT ON COLUMN bi.daily_sales.customers IS 'Different customers with a sale on the day in the currency; does not add up over days or currencies. A guest without contact counts once per order.';
COMMENT ON COLUMN bi.daily_sales.new_customers IS 'Of these customers, the ones whose very first sale in the shop, in any currency, is in this row; adds up over days and currencies. 0 in the row without a date.';
COMMENT ON COLUMN bi.daily_sales.cancelled_orders IS 'Orders of the day that are cancelled now.';
COMMENT ON COLUMN bi.daily_sales.returned_orders IS 'Orders of the day that are returned now.';
COMMENT ON COLUMN bi.daily_sales.draft_orders IS 'Orders of the day that are still being placed by the visitor.';
COMMENT ON COLUMN bi.daily_sales.other_orders IS 'Orders of the day that are neither sales nor any of the above: without a status, or with a status code nobody has classified. If it grows, look at core.order_statuses.';
COMMENT ON COLUMN bi.daily_sales.returning_customers IS 'Of these customers, the ones with an earlier sale in the shop, in any currency; does not add up over days or currencies. 0 in the row without a date.';

SELECT ops.grant_to_reader('bi.daily_sales');
