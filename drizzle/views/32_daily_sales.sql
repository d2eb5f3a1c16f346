CREATE OR REPLACE VIEW bi.daily_sales AS
WITH parts AS (
  SELECT
    shop_id, day, currency, orders, revenue, priced_orders, paid, items, customers, 0::bigint AS new_customers,
    cancelled_orders, returned_orders, draft_orders, other_orders
  FROM core.daily_totals
  UNION ALL
  -- Added as rows instead of joined, so that a filter on the date reaches this part too.
  SELECT shop_id, new_on, currency, 0, NULL, 0, NULL, NULL, 0, count(*), 0, 0, 0, 0
  FROM core.customer_totals
  WHERE is_first
  GROUP BY shop_id, new_on, currency
),
sales AS (
  SELECT
    p.shop_id,
    s.shop_key AS shop,
    p.day AS order_date,
    p.currency,
    sum(p.orders)::bigint AS orders,
    coalesce(sum(p.revenue), 0)::numeric(16, 2) AS revenue,
    coalesce(sum(p.paid), 0)::numeric(16, 2) AS paid,
    (sum(p.revenue) / nullif(sum(p.priced_orders), 0))::numeric(16, 2) AS avg_order_value,
    coalesce(sum(p.items), 0)::numeric(16, 3) AS items,
    sum(p.customers)::bigint AS customers,
    sum(p.new_customers)::bigint AS new_customers,
    sum(p.cancelled_orders)::bigint AS cancelled_orders,
    sum(p.returned_orders)::bigint AS returned_orders,
    sum(p.draft_orders)::bigint AS draft_orders,
    sum(p.other_orders)::bigint AS other_orders,
    sum(p.customers)::bigint - sum(p.new_customers)::bigint AS returning_customers,
    coalesce(sum(p.paid), 0)::numeric(16, 2) AS paid_amount
  FROM parts p
  JOIN core.shops s ON s.shop_id = p.shop_id
  GROUP BY p.shop_id, s.shop_key, p.day, p.currency
)
SELECT sales.*, NOT u.days @> sales.order_date AS is_verified
FROM sales
LEFT JOIN bi.unverified_days u ON u.shop_id = sales.shop_id;

COMMENT ON VIEW bi.daily_sales IS 'One row per shop, day and currency on which an order was placed. Amounts and customers cover sales only; cancelled, returned, draft and other orders are counted separately, deleted ones not at all. Days without an order have no row.';
COMMENT ON COLUMN bi.daily_sales.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.daily_sales.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.daily_sales.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL: all orders without a readable date, so that totals agree with bi.orders.';
COMMENT ON COLUMN bi.daily_sales.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.daily_sales.orders IS 'Number of sales.';
COMMENT ON COLUMN bi.daily_sales.revenue IS 'Sum of the order totals of the sales; 0 if there were none.';
COMMENT ON COLUMN bi.daily_sales.paid IS 'Amount paid for these sales so far, whenever it was paid.';
COMMENT ON COLUMN bi.daily_sales.avg_order_value IS 'Revenue per sale, over the sales with a known total. NULL: no such sale. For several days divide the sums instead of averaging this.';
COMMENT ON COLUMN bi.daily_sales.items IS 'Number of items in the sales, as the shop counts them.';
COMMENT ON COLUMN bi.daily_sales.customers IS 'Distinct customers with a sale on the day in the currency; do not add up over days or currencies. A guest without contact counts once per order.';
COMMENT ON COLUMN bi.daily_sales.new_customers IS 'Of these, customers whose very first sale in the shop, in any currency, is in this row; may be added up over days and currencies, to the number of rows in bi.customers.';
COMMENT ON COLUMN bi.daily_sales.cancelled_orders IS 'Orders of the day that are now cancelled.';
COMMENT ON COLUMN bi.daily_sales.returned_orders IS 'Orders of the day that are now returned.';
COMMENT ON COLUMN bi.daily_sales.draft_orders IS 'Orders of the day that the visitor is still placing.';
COMMENT ON COLUMN bi.daily_sales.other_orders IS 'Orders of the day that are neither sales nor any of the above: without a status, or with a status code that nobody has classified. If this grows, check core.order_statuses.';
COMMENT ON COLUMN bi.daily_sales.returning_customers IS 'Of these customers, those with an earlier sale in the shop, in any currency; do not add up over days or currencies.';
COMMENT ON COLUMN bi.daily_sales.paid_amount IS 'The same as paid, by the name that the column has in bi.orders.';
COMMENT ON COLUMN bi.daily_sales.is_verified IS 'True if the day was verified: see days in bi.unverified_days. NULL: orders without a readable date.';

SELECT ops.grant_to_reader('bi.daily_sales');
