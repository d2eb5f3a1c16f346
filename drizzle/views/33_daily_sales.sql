CREATE OR REPLACE VIEW bi.daily_sales AS
WITH parts AS (
  SELECT
    shop_id, day, currency, orders, revenue, priced_orders, paid, items, customers, 0::bigint AS new_customers,
    cancelled_orders, returned_orders, draft_orders, other_orders, goods, line_discount, order_discount, delivery, cancelled, returned
  FROM core.daily_totals
  UNION ALL
  -- Added as rows instead of joined, so that a filter on the date reaches this part too.
  SELECT shop_id, new_on, currency, 0, NULL, 0, NULL, NULL, 0, count(*), 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL
  FROM core.customer_totals
  WHERE is_first
  GROUP BY shop_id, new_on, currency
),
sales AS (
  SELECT
    shop_id, day, currency,
    sum(orders)::bigint AS orders,
    coalesce(sum(revenue), 0)::numeric(16, 2) AS revenue,
    coalesce(sum(paid), 0)::numeric(16, 2) AS paid,
    (sum(revenue) / nullif(sum(priced_orders), 0))::numeric(16, 2) AS avg_order_value,
    coalesce(sum(items), 0)::numeric(16, 3) AS items,
    sum(customers)::bigint AS customers,
    sum(new_customers)::bigint AS new_customers,
    sum(cancelled_orders)::bigint AS cancelled_orders,
    sum(returned_orders)::bigint AS returned_orders,
    sum(draft_orders)::bigint AS draft_orders,
    sum(other_orders)::bigint AS other_orders,
    coalesce(sum(goods), 0)::numeric(16, 2) AS goods,
    coalesce(sum(line_discount), 0)::numeric(16, 2) AS line_discount,
    coalesce(sum(order_discount), 0)::numeric(16, 2) AS order_discount,
    coalesce(sum(delivery), 0)::numeric(16, 2) AS delivery,
    coalesce(sum(cancelled), 0)::numeric(16, 2) AS cancelled,
    coalesce(sum(returned), 0)::numeric(16, 2) AS returned
  FROM parts
  GROUP BY day, currency, shop_id
)
SELECT
  p.shop_id, s.shop_key AS shop, p.day AS order_date, p.currency, p.orders, p.revenue, p.paid, p.avg_order_value, p.items, p.customers,
  CASE WHEN h.history_from IS NULL THEN p.new_customers END AS new_customers,
  p.cancelled_orders, p.returned_orders, p.draft_orders, p.other_orders,
  CASE WHEN h.history_from IS NULL THEN p.customers - p.new_customers END AS returning_customers,
  NOT u.days @> p.day AS is_verified,
  p.goods AS goods_amount,
  p.line_discount,
  p.order_discount,
  p.delivery AS delivery_amount,
  (p.revenue - p.goods + p.order_discount - p.delivery)::numeric(16, 2) AS other_amount,
  p.cancelled AS cancelled_amount,
  p.returned AS returned_amount,
  h.history_from
FROM sales p
JOIN core.shops s ON s.shop_id = p.shop_id
LEFT JOIN core.histories h ON h.shop_id = p.shop_id
LEFT JOIN bi.unverified_days u ON u.shop_id = p.shop_id;

COMMENT ON VIEW bi.daily_sales IS 'One row per shop, day and currency on which an order was placed. Amounts and customers cover sales only; cancelled, returned, draft and other orders are counted separately, deleted ones not at all. From gross to net: goods_amount + line_discount is the goods at list prices; goods_amount - order_discount + delivery_amount + other_amount = revenue; revenue + cancelled_amount + returned_amount is all that was ordered. Days without an order have no row.';
COMMENT ON COLUMN bi.daily_sales.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL: all orders without a readable date, so that totals agree with bi.orders.';
COMMENT ON COLUMN bi.daily_sales.revenue IS 'Sum of the order totals of the sales; 0 if there were none.';
COMMENT ON COLUMN bi.daily_sales.paid IS 'Amount paid for these sales so far, whenever it was paid.';
COMMENT ON COLUMN bi.daily_sales.avg_order_value IS 'Revenue per sale, over the sales with a known total. NULL: no such sale. For several days divide the sums instead of averaging this.';
COMMENT ON COLUMN bi.daily_sales.items IS 'Units in the sales: the sum of units in bi.orders. Sales whose lines are not loaded, or lack a quantity, add none.';
COMMENT ON COLUMN bi.daily_sales.customers IS 'Distinct customers with a sale on the day in the currency; do not add up over days or currencies. A guest without contact counts once per order.';
COMMENT ON COLUMN bi.daily_sales.new_customers IS 'Of these, customers whose very first sale in the shop, in any currency, is in this row; may be added up over days and currencies, to the number of rows in bi.customers. NULL: older orders are not loaded, see history_from.';
COMMENT ON COLUMN bi.daily_sales.cancelled_orders IS 'Orders of the day that are now cancelled.';
COMMENT ON COLUMN bi.daily_sales.returned_orders IS 'Orders of the day that are now returned.';
COMMENT ON COLUMN bi.daily_sales.draft_orders IS 'Orders of the day that the visitor is still placing.';
COMMENT ON COLUMN bi.daily_sales.other_orders IS 'Orders of the day that are neither sales nor any of the above: without a status, or with a status code that nobody has classified. If this grows, check core.order_statuses.';
COMMENT ON COLUMN bi.daily_sales.returning_customers IS 'Of these customers, those with an earlier sale in the shop, in any currency; do not add up over days or currencies. NULL: older orders are not loaded, see history_from.';
COMMENT ON COLUMN bi.daily_sales.is_verified IS 'True if the day was verified: see days in bi.unverified_days; line_days for what depends on lines. NULL: orders without a readable date.';
COMMENT ON COLUMN bi.daily_sales.goods_amount IS 'Line totals of the sales, after discount on the lines. Sales with a line without a total, or whose lines are not loaded, add none.';
COMMENT ON COLUMN bi.daily_sales.line_discount IS 'List prices of these lines minus goods_amount.';
COMMENT ON COLUMN bi.daily_sales.order_discount IS 'Discounts on the sales as a whole, as in bi.orders.';
COMMENT ON COLUMN bi.daily_sales.delivery_amount IS 'Delivery prices of the sales.';
COMMENT ON COLUMN bi.daily_sales.other_amount IS 'The rest of revenue, which goods, discount and delivery do not explain: sales whose lines are not known, a shop whose totals are without delivery, or whose lines are discounted already.';
COMMENT ON COLUMN bi.daily_sales.cancelled_amount IS 'Sum of the order totals of the cancelled orders.';
COMMENT ON COLUMN bi.daily_sales.returned_amount IS 'Sum of the order totals of the returned orders.';
