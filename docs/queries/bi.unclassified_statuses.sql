-- Which of our own codes still have to be classified, most used first?
SELECT shop, kind, code, orders, last_order_date
FROM bi.unclassified_statuses
ORDER BY shop, orders DESC, kind, code;
