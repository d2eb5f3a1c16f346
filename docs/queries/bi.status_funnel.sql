-- Where the orders of the last three months are now, and in which stages they were ever observed. Orders that were first read
-- late, like those of the first load, were never observed in earlier stages: orders_observed says how many were seen there,
-- not how many passed through.
SELECT
  shop, stage, sum(orders_now) AS orders_now, sum(orders_reached) AS orders_observed,
  round(100 * sum(orders_reached) / sum(all_orders), 1) AS observed_percent
FROM bi.status_funnel
WHERE level = 'stage' AND order_month >= (SELECT max(order_month) FROM bi.status_funnel) - interval '2 months'
GROUP BY shop, stage
ORDER BY shop, min(stage_order) NULLS LAST, stage;
