-- Where orders are now, and in which stages they were ever observed. Orders that were first read late, like those of the
-- first load, were never observed in earlier stages: orders_observed says how many were seen there, not how many passed
-- through.
SELECT shop, stage, orders_now, orders_reached AS orders_observed, round(reached_percent, 1) AS observed_percent
FROM bi.status_funnel
WHERE level = 'stage'
ORDER BY shop, stage_order NULLS LAST, stage;
