-- Days to deliver by delivery method: half of the orders took at most the median, nine of ten at most p90.
SELECT
  delivery_name,
  count(*) AS orders,
  round(percentile_cont(0.5) WITHIN GROUP (ORDER BY days_to_deliver)::numeric, 1) AS median_days,
  round(percentile_cont(0.9) WITHIN GROUP (ORDER BY days_to_deliver)::numeric, 1) AS p90_days,
  round(max(uncertainty_hours), 1) AS known_within_hours
FROM bi.delivery_times
GROUP BY delivery_name
ORDER BY orders DESC, delivery_name;
