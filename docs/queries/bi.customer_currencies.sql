-- Revenue of all customers in each currency.
SELECT currency, count(*) AS customers, sum(orders) AS orders, sum(lifetime_revenue) AS revenue
FROM bi.customer_currencies
GROUP BY currency
ORDER BY revenue DESC, currency;
