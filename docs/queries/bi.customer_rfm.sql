-- Customers and revenue per segment.
SELECT currency, segment, count(*) AS customers, sum(monetary) AS revenue, round(avg(frequency), 1) AS avg_orders
FROM bi.customer_rfm
GROUP BY currency, segment
ORDER BY currency, revenue DESC;
