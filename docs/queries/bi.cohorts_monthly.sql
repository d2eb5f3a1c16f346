-- The classic cohort table: one row per month of the first sale, one column per month since.
SELECT
  shop,
  cohort_month,
  max(cohort_customers) AS customers,
  max(round(retention_percent)) FILTER (WHERE months_since = 1) AS month_1,
  max(round(retention_percent)) FILTER (WHERE months_since = 2) AS month_2,
  max(round(retention_percent)) FILTER (WHERE months_since = 3) AS month_3,
  max(round(retention_percent)) FILTER (WHERE months_since = 6) AS month_6
FROM bi.cohorts_monthly
GROUP BY shop, cohort_month
ORDER BY shop, cohort_month;
