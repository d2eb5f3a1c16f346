CREATE OR REPLACE VIEW bi.cohorts_monthly AS
WITH last_months AS (
  SELECT shop_id, date_trunc('month', max(day)::timestamp)::date AS last_month
  FROM core.daily_totals
  WHERE orders > 0
  GROUP BY shop_id
),
active AS (
  -- Who bought in one currency only has a row for each month.
  SELECT c.shop_id, c.months[1] AS cohort_month, m.month, count(*) AS customers, sum(m.orders)::bigint AS orders
  FROM core.customer_totals c
  CROSS JOIN LATERAL unnest(c.months, c.month_orders) AS m(month, orders)
  LEFT JOIN core.histories h ON h.shop_id = c.shop_id
  WHERE c.currencies = 1 AND h.history_from IS NULL
  GROUP BY c.shop_id, c.months[1], m.month
  UNION ALL
  SELECT shop_id, cohort_month, month, count(*), sum(orders)::bigint
  FROM (
    SELECT
      c.shop_id, date_trunc('month', c.all_first_day::timestamp)::date AS cohort_month, m.month, sum(m.orders) AS orders
    FROM core.customer_totals c
    CROSS JOIN LATERAL unnest(c.months, c.month_orders) AS m(month, orders)
    LEFT JOIN core.histories h ON h.shop_id = c.shop_id
    WHERE c.currencies > 1 AND h.history_from IS NULL
    GROUP BY c.shop_id, c.customer_key, c.all_first_day, m.month
  ) several
  GROUP BY shop_id, cohort_month, month
),
by_month AS (
  SELECT
    shop_id, cohort_month,
    (12 * extract(year FROM month) + extract(month FROM month)
      - 12 * extract(year FROM cohort_month) - extract(month FROM cohort_month))::integer AS months_since,
    sum(customers)::bigint AS customers,
    sum(orders)::bigint AS orders
  FROM active
  GROUP BY shop_id, cohort_month, month
),
-- A month in which nobody of the cohort bought has no row yet; it is derived from the previous row.
spans AS (
  SELECT
    a.*,
    -- All of them bought in its first month.
    max(a.customers) OVER cohort AS cohort_customers,
    coalesce(
      lead(a.months_since) OVER (cohort ORDER BY a.months_since) - 1,
      (12 * extract(year FROM m.last_month) + extract(month FROM m.last_month)
        - 12 * extract(year FROM a.cohort_month) - extract(month FROM a.cohort_month))::integer
    ) AS until
  FROM by_month a
  JOIN last_months m ON m.shop_id = a.shop_id
  WINDOW cohort AS (PARTITION BY a.shop_id, a.cohort_month)
),
rows AS (
  SELECT
    a.shop_id, a.cohort_month, n.months_since, a.cohort_customers,
    CASE WHEN n.months_since = a.months_since THEN a.customers ELSE 0 END AS customers,
    CASE WHEN n.months_since = a.months_since THEN a.orders ELSE 0 END AS orders
  FROM spans a
  CROSS JOIN LATERAL generate_series(a.months_since, a.until) AS n(months_since)
  UNION ALL
  SELECT c.shop_id, NULL, 0, count(*), count(*), sum(c.all_orders)::bigint
  FROM core.customer_totals c
  LEFT JOIN core.histories h ON h.shop_id = c.shop_id
  WHERE c.is_main AND (c.all_first_day IS NULL OR h.history_from IS NOT NULL)
  GROUP BY c.shop_id
)
SELECT
  r.shop_id,
  s.shop_key AS shop,
  r.cohort_month,
  r.months_since,
  r.cohort_customers,
  r.customers,
  r.orders,
  (100.0 * r.customers / r.cohort_customers)::numeric(7, 4) AS retention_percent,
  h.history_from
FROM rows r
JOIN core.shops s ON s.shop_id = r.shop_id
LEFT JOIN core.histories h ON h.shop_id = r.shop_id;

COMMENT ON VIEW bi.cohorts_monthly IS 'One row per shop, month of the first sale and month since: how the customers who first bought in the same month, in any currency, behaved later. Months run up to the latest one with a sale; a month in which nobody of the cohort bought shows 0. What the cohorts spent is in bi.cohort_revenue.';
COMMENT ON COLUMN bi.cohorts_monthly.cohort_month IS 'First day of the month of the customers'' first sale, in the shop''s time zone. NULL: the customers none of whose sales has a readable date, and all customers of a shop of which older orders are not loaded, in one row.';
COMMENT ON COLUMN bi.cohorts_monthly.cohort_customers IS 'Customers in the cohort, repeated in each of its rows: add up the rows with months_since = 0 to the number of rows in bi.customers. A guest without contact counts as a customer with one order, which lowers retention.';
COMMENT ON COLUMN bi.cohorts_monthly.customers IS 'Of these, customers with a sale in that month.';
COMMENT ON COLUMN bi.cohorts_monthly.orders IS 'Their sales in that month.';
COMMENT ON COLUMN bi.cohorts_monthly.retention_percent IS 'Share of cohort_customers that bought in that month, in percent; 100 for the first month.';
