-- Products that have not sold for a month.
SELECT shop, product_oid, product_name, skus, last_sale_date, orders
FROM bi.products
WHERE last_sale_date < (SELECT max(order_date) FROM bi.daily_sales) - 30
ORDER BY last_sale_date, product_oid
LIMIT 20; -- the first of them; without this line, all
