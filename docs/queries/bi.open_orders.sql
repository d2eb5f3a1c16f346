-- Open orders by age, and the money that is still to come.
SELECT
  currency,
  stage,
  CASE WHEN age_days < 3 THEN '0 to 2 days' WHEN age_days < 14 THEN '3 to 13 days' ELSE '14 days or more' END AS age,
  count(*) AS orders,
  sum(outstanding) AS outstanding
FROM bi.open_orders
GROUP BY currency, stage, age
ORDER BY currency, stage, age;
