CREATE OR REPLACE VIEW bi.group_sales AS
WITH sales AS (
  SELECT
    shop_id,
    shop,
    order_date,
    group_oid,
    user_group,
    is_guest,
    currency,
    count(*) AS orders,
    coalesce(sum(order_sum), 0)::numeric(16, 2) AS revenue,
    coalesce(sum(paid_amount), 0)::numeric(16, 2) AS paid,
    avg(order_sum)::numeric(16, 2) AS avg_order_value,
    count(DISTINCT customer_key) AS customers
  FROM bi.orders
  WHERE is_sale
  GROUP BY shop_id, shop, order_date, group_oid, user_group, is_guest, currency
)
SELECT sales.*, NOT u.days @> sales.order_date AS is_verified
FROM sales
LEFT JOIN bi.unverified_days u ON u.shop_id = sales.shop_id;

COMMENT ON VIEW bi.group_sales IS 'One row per shop, day, group of buyers and currency with a sale; sales only. Guests, and buyers without a known group, have rows of their own. Groups are those of today. For a group with all groups below it, join bi.user_groups on group_oid and filter on its path.';
COMMENT ON COLUMN bi.group_sales.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL: orders without a readable date.';
COMMENT ON COLUMN bi.group_sales.group_oid IS 'The shop''s number of the buyers'' group. NULL: guests, or no known group.';
COMMENT ON COLUMN bi.group_sales.user_group IS 'Name of the group today. NULL: guests, or no known group.';
COMMENT ON COLUMN bi.group_sales.is_guest IS 'True for the row of orders without a registered buyer.';
COMMENT ON COLUMN bi.group_sales.paid IS 'Amount paid for these sales so far.';
COMMENT ON COLUMN bi.group_sales.avg_order_value IS 'Revenue per sale, over the sales with a known total. NULL: no such sale. For several rows divide the sums instead of averaging this.';
COMMENT ON COLUMN bi.group_sales.customers IS 'Distinct customers of these sales; do not add up over days, groups or currencies.';
