-- What a customer of each cohort has spent so far, on average.
SELECT r.shop, r.cohort_month, r.currency, round(sum(r.revenue) / max(c.cohort_customers), 2) AS revenue_per_customer
FROM bi.cohort_revenue r
JOIN bi.cohorts_monthly c USING (shop_id, cohort_month, months_since)
GROUP BY r.shop, r.cohort_month, r.currency
ORDER BY r.shop, r.currency, r.cohort_month;
