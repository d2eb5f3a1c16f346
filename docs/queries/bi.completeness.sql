-- The days of the last month: did shop and warehouse have the same orders when the day was last compared?
SELECT shop, day, orders AS in_shop, warehouse_orders AS here, missing_orders, verified_at, attempts, last_error
FROM bi.completeness
WHERE day > (SELECT max(day) FROM bi.completeness) - 30
ORDER BY shop, day DESC;
