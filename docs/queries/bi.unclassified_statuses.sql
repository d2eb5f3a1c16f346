-- Which codes of our own are still to be classified, the most used first?
SELECT shop, kind, code, orders, last_order_date
FROM bi.unclassified_statuses
ORDER BY shop, orders DESC, kind, code;
