-- Sales per week of the last three months. Ratios divide sums instead of averaging.
SELECT
  date_trunc('week', order_date)::date AS week,
  currency,
  sum(orders) AS orders,
  sum(revenue) AS revenue,
  round(sum(revenue) / nullif(sum(orders), 0), 2) AS avg_order_value,
  sum(new_customers) AS new_customers
FROM bi.daily_sales
WHERE order_date > (SELECT max(order_date) FROM bi.daily_sales) - 90
GROUP BY week, currency
ORDER BY week, currency;
