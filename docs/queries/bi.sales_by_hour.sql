-- When people buy: orders by weekday (1 is Monday) and hour.
SELECT order_weekday, order_hour, sum(orders) AS orders
FROM bi.sales_by_hour
GROUP BY order_weekday, order_hour
ORDER BY order_weekday, order_hour;
