-- Revenue by what buyers entered in one field: replace the key by yours.
SELECT value, currency, sum(orders) AS orders, sum(revenue) AS revenue
FROM bi.sales_by_field
WHERE field_key = 'source'
GROUP BY value, currency
ORDER BY currency, revenue DESC;
