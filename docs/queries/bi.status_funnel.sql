-- Where orders are, and in which stages they were observed at any time. An order that was first read late in its life, as
-- all of the first load, was never observed in the stages before: orders_observed says how many were seen there, not how
-- many passed through.
SELECT shop, stage, orders_now, orders_reached AS orders_observed, round(reached_percent, 1) AS observed_percent
FROM bi.status_funnel
WHERE level = 'stage'
ORDER BY shop, stage_order NULLS LAST, stage;
