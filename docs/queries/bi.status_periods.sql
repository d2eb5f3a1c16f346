-- How long orders stay in a status, and what comes next. Those that were first seen in it are left out.
SELECT status, next_status, count(*) AS orders, round(avg(hours), 1) AS avg_hours,
  round(percentile_cont(0.5) WITHIN GROUP (ORDER BY hours)::numeric, 1) AS median_hours
FROM bi.status_periods
WHERE NOT is_initial AND NOT is_current
GROUP BY status, next_status
ORDER BY orders DESC, status, next_status;
