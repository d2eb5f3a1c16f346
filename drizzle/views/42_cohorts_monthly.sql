CREATE OR REPLACE VIEW bi.cohorts_monthly AS
WITH last_months AS (
  SELECT shop_id, currency, date_trunc('month', max(day)::timestamp)::date AS last_month
  FROM core.daily_totals
  WHERE orders > 0 AND day IS NOT NULL
  GROUP BY shop_id, currency
),
active AS (
  SELECT
    c.shop_id, c.currency,
    c.months[1] AS cohort_month,
    (12 * extract(year FROM m.month) + extract(month FROM m.month)
      - 12 * extract(year FROM c.months[1]) - extract(month FROM c.months[1]))::integer AS months_since,
    count(*) AS customers,
    sum(m.orders)::bigint AS orders,
    sum(m.revenue) AS revenue
  FROM core.customer_totals c
  CROSS JOIN LATERAL unnest(c.months, c.month_orders, c.month_revenues) AS m(month, orders, revenue)
  GROUP BY c.shop_id, c.currency, c.months[1], m.month
),
-- A month in which nobody of the cohort bought has no row yet; it is derived from the previous row.
spans AS (
  SELECT
    a.*,
    max(a.customers) FILTER (WHERE a.months_since = 0) OVER cohort AS cohort_customers,
    coalesce(
      lead(a.months_since) OVER (cohort ORDER BY a.months_since) - 1,
      (12 * extract(year FROM m.last_month) + extract(month FROM m.last_month)
        - 12 * extract(year FROM a.cohort_month) - extract(month FROM a.cohort_month))::integer
    ) AS until
  FROM active a
  JOIN last_months m ON m.shop_id = a.shop_id AND m.currency IS NOT DISTINCT FROM a.currency
  WINDOW cohort AS (PARTITION BY a.shop_id, a.currency, a.cohort_month)
)
SELECT
  a.shop_id,
  s.shop_key AS shop,
  a.cohort_month,
  a.currency,
  n.months_since,
  a.cohort_customers,
  CASE WHEN n.months_since = a.months_since THEN a.customers ELSE 0 END AS customers,
  CASE WHEN n.months_since = a.months_since THEN a.orders ELSE 0 END AS orders,
  CASE WHEN n.months_since = a.months_since THEN coalesce(a.revenue, 0) ELSE 0 END::numeric(16, 2) AS revenue,
  (CASE WHEN n.months_since = a.months_since THEN 100.0 * a.customers / a.cohort_customers ELSE 0 END)::numeric(7, 4)
    AS retention_percent
FROM spans a
JOIN core.shops s ON s.shop_id = a.shop_id
CROSS JOIN LATERAL generate_series(a.months_since, a.until) AS n(months_since);

COMMENT ON VIEW bi.cohorts_monthly IS 'One row per shop, currency, month of the first sale and month since: how the customers who first bought in the same month behaved later. Months run up to the latest one with a sale in the currency; a month in which nobody of the cohort bought shows 0. Sales without a readable date are excluded.';
COMMENT ON COLUMN bi.cohorts_monthly.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.cohorts_monthly.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.cohorts_monthly.cohort_month IS 'First day of the month of the customers'' first sale in this currency, in the shop''s time zone.';
COMMENT ON COLUMN bi.cohorts_monthly.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.cohorts_monthly.months_since IS 'Calendar months from cohort_month to the month of the row; 0 is the cohort''s own month.';
COMMENT ON COLUMN bi.cohorts_monthly.cohort_customers IS 'Customers in the cohort, repeated in each of its rows. A guest without contact counts as a customer with one order, which lowers retention.';
COMMENT ON COLUMN bi.cohorts_monthly.customers IS 'Of these, customers with a sale in that month in this currency.';
COMMENT ON COLUMN bi.cohorts_monthly.orders IS 'Their sales in that month.';
COMMENT ON COLUMN bi.cohorts_monthly.revenue IS 'Sum of the order totals of these sales.';
COMMENT ON COLUMN bi.cohorts_monthly.retention_percent IS 'Share of cohort_customers that bought in that month, in percent; 100 for the first month.';

SELECT ops.grant_to_reader('bi.cohorts_monthly');
