-- How far orders get, stage by stage.
SELECT shop, stage, orders_reached, round(reached_percent, 1) AS reached_percent, orders_now
FROM bi.status_funnel
WHERE level = 'stage'
ORDER BY shop, stage_order NULLS LAST, stage;
