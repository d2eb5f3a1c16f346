CREATE OR REPLACE VIEW bi.sales_by_hour AS
WITH sales AS (
  SELECT
    shop_id,
    shop,
    order_date,
    order_weekday,
    order_hour,
    currency,
    count(*) AS orders,
    coalesce(sum(order_sum), 0)::numeric(16, 2) AS revenue,
    avg(order_sum)::numeric(16, 2) AS avg_order_value
  FROM bi.orders
  WHERE is_sale
  GROUP BY shop_id, shop, order_date, order_weekday, order_hour, currency
)
SELECT sales.*, NOT u.days @> sales.order_date AS is_verified
FROM sales
LEFT JOIN bi.unverified_days u ON u.shop_id = sales.shop_id;

COMMENT ON VIEW bi.sales_by_hour IS 'One row per shop, day, hour of the day and currency with a sale; sales only. Add up over days to see the hours and weekdays. The hour that comes twice when summer time ends is one hour here.';
COMMENT ON COLUMN bi.sales_by_hour.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL: orders without a readable date.';
COMMENT ON COLUMN bi.sales_by_hour.order_weekday IS 'Day of the week, 1 for Monday to 7 for Sunday. NULL: no readable date.';
COMMENT ON COLUMN bi.sales_by_hour.avg_order_value IS 'Revenue per sale, over the sales with a known total. NULL: no such sale. For several rows divide the sums instead of averaging this.';
