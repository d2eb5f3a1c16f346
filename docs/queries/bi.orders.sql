-- The orders of the last week with a sale in them, the largest first.
SELECT order_date, order_id, status, pay_status, order_sum, amount_due, currency
FROM bi.orders
WHERE is_sale AND order_date > (SELECT max(order_date) FROM bi.orders) - 7
ORDER BY currency, order_sum DESC
LIMIT 20;
