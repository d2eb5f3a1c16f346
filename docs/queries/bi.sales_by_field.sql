-- Revenue by what the buyer entered in one field: put in the key of yours.
SELECT value, currency, sum(orders) AS orders, sum(revenue) AS revenue
FROM bi.sales_by_field
WHERE field_key = 'source'
GROUP BY value, currency
ORDER BY currency, revenue DESC;
