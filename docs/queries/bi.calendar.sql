-- Revenue of each day of the last four weeks, days without a sale included.
SELECT c.day, c.weekday, coalesce(sum(s.orders), 0) AS orders, coalesce(sum(s.revenue), 0) AS revenue
FROM bi.calendar c
LEFT JOIN bi.daily_sales s ON s.order_date = c.day AND s.currency = 'RUB'
WHERE c.day BETWEEN (SELECT max(order_date) FROM bi.daily_sales) - 27 AND (SELECT max(order_date) FROM bi.daily_sales)
GROUP BY c.day, c.weekday
ORDER BY c.day;
