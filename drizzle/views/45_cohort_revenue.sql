CREATE OR REPLACE VIEW bi.cohort_revenue AS
SELECT
  c.shop_id,
  s.shop_key AS shop,
  date_trunc('month', c.all_first_day::timestamp)::date AS cohort_month,
  (12 * extract(year FROM m.month) + extract(month FROM m.month)
    - 12 * extract(year FROM c.all_first_day) - extract(month FROM c.all_first_day))::integer AS months_since,
  c.currency,
  count(*) AS customers,
  sum(m.orders)::bigint AS orders,
  coalesce(sum(m.revenue), 0)::numeric(16, 2) AS revenue
FROM core.customer_totals c
JOIN core.shops s ON s.shop_id = c.shop_id
LEFT JOIN core.histories h ON h.shop_id = c.shop_id
CROSS JOIN LATERAL unnest(c.months, c.month_orders, c.month_revenues) AS m(month, orders, revenue)
WHERE h.history_from IS NULL
GROUP BY 1, 2, 3, 4, 5;

COMMENT ON VIEW bi.cohort_revenue IS 'One row per shop, month of the first sale, month since and currency with a sale: what the cohorts of bi.cohorts_monthly spent. Sales without a readable date are excluded, and shops of which older orders are not loaded: see bi.shops.history_from.';
COMMENT ON COLUMN bi.cohort_revenue.cohort_month IS 'First day of the month of the customers'' first sale in any currency, in the shop''s time zone.';
COMMENT ON COLUMN bi.cohort_revenue.customers IS 'Customers of the cohort with a sale in that month in this currency; do not add up over months or currencies.';
COMMENT ON COLUMN bi.cohort_revenue.orders IS 'Their sales in that month in this currency.';
