-- Customers and revenue per segment.
SELECT currency, segment, count(*) AS customers, sum(lifetime_revenue) AS revenue, round(avg(orders), 1) AS avg_orders
FROM bi.customer_rfm
GROUP BY currency, segment
ORDER BY currency, revenue DESC;
