-- The views that went through every order ever, on the totals of 0007. Their names, columns and figures stay.
CREATE OR REPLACE VIEW bi.daily_sales AS
WITH parts AS (
  SELECT
    shop_id, day, currency, orders, revenue, priced_orders, paid, items, customers, 0::bigint AS new_customers,
    cancelled_orders, returned_orders, draft_orders, other_orders
  FROM core.daily_totals
  UNION ALL
  -- Added as rows, not joined: so a filter on the date reaches this part as well.
  SELECT shop_id, new_on, currency, 0, NULL, 0, NULL, NULL, 0, count(*), 0, 0, 0, 0
  FROM core.customer_totals
  WHERE new_on IS NOT NULL
  GROUP BY shop_id, new_on, currency
)
SELECT
  p.shop_id,
  s.shop_key AS shop,
  p.day AS order_date,
  p.currency,
  sum(p.orders)::bigint AS orders,
  coalesce(sum(p.revenue), 0)::numeric(16, 2) AS revenue,
  coalesce(sum(p.paid), 0)::numeric(16, 2) AS paid,
  (sum(p.revenue) / nullif(sum(p.priced_orders), 0))::numeric(16, 2) AS avg_order_value,
  coalesce(sum(p.items), 0)::bigint AS items,
  sum(p.customers)::bigint AS customers,
  sum(p.new_customers)::bigint AS new_customers,
  sum(p.cancelled_orders)::bigint AS cancelled_orders,
  sum(p.returned_orders)::bigint AS returned_orders,
  sum(p.draft_orders)::bigint AS draft_orders,
  sum(p.other_orders)::bigint AS other_orders,
  CASE WHEN p.day IS NULL THEN 0 ELSE sum(p.customers)::bigint - sum(p.new_customers)::bigint END AS returning_customers
FROM parts p
JOIN core.shops s ON s.shop_id = p.shop_id
GROUP BY p.shop_id, s.shop_key, p.day, p.currency;
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.customers AS
SELECT
  c.shop_id,
  s.shop_key AS shop,
  c.customer_key,
  c.currency,
  c.first_day AS first_order_date,
  c.last_day AS last_order_date,
  c.orders,
  coalesce(c.revenue, 0)::numeric(16, 2) AS lifetime_revenue,
  (c.revenue / nullif(c.priced_orders, 0))::numeric(16, 2) AS avg_order_value,
  c.orders > 1 AS is_repeat,
  c.is_guest,
  u.group_oid,
  g.name AS user_group
FROM core.customer_totals c
JOIN core.shops s ON s.shop_id = c.shop_id
LEFT JOIN core.users u ON u.shop_id = c.shop_id AND u.user_oid = c.buyer_oid
LEFT JOIN core.user_groups g ON g.shop_id = u.shop_id AND g.group_oid = u.group_oid;
--> statement-breakpoint
-- Scores as before, by rank among the customers of a currency: by the cuts between fifths, which are kept.
CREATE OR REPLACE VIEW bi.customer_rfm AS
WITH scored AS (
  SELECT
    c.*,
    (now() AT TIME ZONE s.timezone)::date - c.last_order_date AS recency_days,
    (1 + (coalesce(c.last_order_date, '-infinity') > x.days[1])::int + (coalesce(c.last_order_date, '-infinity') > x.days[2])::int
      + (coalesce(c.last_order_date, '-infinity') > x.days[3])::int
      + (coalesce(c.last_order_date, '-infinity') > x.days[4])::int)::smallint AS recency_score,
    (1 + (c.orders > x.orders[1])::int + (c.orders > x.orders[2])::int
      + (c.orders > x.orders[3])::int + (c.orders > x.orders[4])::int)::smallint AS frequency_score,
    (1 + (c.lifetime_revenue > x.revenues[1])::int + (c.lifetime_revenue > x.revenues[2])::int
      + (c.lifetime_revenue > x.revenues[3])::int + (c.lifetime_revenue > x.revenues[4])::int)::smallint AS monetary_score
  FROM bi.customers c
  JOIN core.shops s ON s.shop_id = c.shop_id
  JOIN core.customer_cut_totals x ON x.shop_id = c.shop_id AND x.currency IS NOT DISTINCT FROM c.currency
)
SELECT
  shop_id,
  shop,
  customer_key,
  currency,
  last_order_date,
  recency_days,
  orders AS frequency,
  lifetime_revenue AS monetary,
  recency_score,
  frequency_score,
  monetary_score,
  concat(recency_score, frequency_score, monetary_score) AS rfm_score,
  CASE
    WHEN recency_score >= 4 AND frequency_score >= 4 THEN 'champions'
    WHEN recency_score >= 3 AND frequency_score >= 3 THEN 'loyal'
    WHEN recency_score >= 4 AND orders = 1 THEN 'new'
    WHEN recency_score >= 4 THEN 'promising'
    WHEN recency_score = 3 THEN 'needs attention'
    WHEN frequency_score >= 4 THEN 'cannot lose'
    WHEN frequency_score = 3 THEN 'at risk'
    WHEN recency_score = 2 THEN 'hibernating'
    ELSE 'lost'
  END AS segment,
  is_guest
FROM scored;
--> statement-breakpoint
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
-- A month in which nobody of the cohort bought has no row yet; the row before stands in for it.
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
  (CASE WHEN n.months_since = a.months_since THEN 100.0 * a.customers / a.cohort_customers ELSE 0 END)::numeric(7, 4) AS retention_percent
FROM spans a
JOIN core.shops s ON s.shop_id = a.shop_id
CROSS JOIN LATERAL generate_series(a.months_since, a.until) AS n(months_since);
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.basket AS
WITH products AS MATERIALIZED (
  SELECT b.shop_id, b.product_oid, b.orders, latest.product_name
  FROM (
    SELECT shop_id, product_oid, sum(orders)::bigint AS orders
    FROM core.product_month_totals WHERE product_oid IS NOT NULL GROUP BY shop_id, product_oid
  ) b
  LEFT JOIN LATERAL (
    SELECT l.product_name FROM core.order_lines l
    WHERE l.shop_id = b.shop_id AND l.product_oid = b.product_oid AND l.product_name IS NOT NULL
    ORDER BY l.order_id DESC, l.line_no DESC LIMIT 1
  ) latest ON true
),
totals AS (
  SELECT shop_id, sum(orders)::bigint AS orders
  FROM core.product_month_totals WHERE product_oid IS NULL GROUP BY shop_id
),
-- A filter on a product reaches its lines, from either side.
pairs AS (
  SELECT one.shop_id, one.product_oid, other.product_oid AS with_product_oid, count(DISTINCT one.order_id) AS orders
  FROM core.order_lines one
  JOIN core.order_lines other
    ON other.shop_id = one.shop_id AND other.order_id = one.order_id AND other.product_oid <> one.product_oid
  JOIN core.orders o ON o.shop_id = one.shop_id AND o.order_id = one.order_id
  JOIN core.order_statuses t ON t.shop_id = o.shop_id AND t.status_code = o.status_code
  WHERE t.is_sale AND o.deleted_at IS NULL
  GROUP BY one.shop_id, one.product_oid, other.product_oid
)
SELECT
  p.shop_id,
  s.shop_key AS shop,
  p.product_oid,
  x.product_name,
  p.with_product_oid,
  y.product_name AS with_product_name,
  p.orders AS orders_together,
  x.orders AS product_orders,
  y.orders AS with_product_orders,
  t.orders AS all_orders,
  (100.0 * p.orders / t.orders)::numeric(7, 4) AS support_percent,
  (100.0 * p.orders / x.orders)::numeric(7, 4) AS confidence_percent,
  (1.0 * p.orders * t.orders / (x.orders * y.orders))::numeric(14, 4) AS lift
FROM pairs p
JOIN core.shops s ON s.shop_id = p.shop_id
-- Each has its row. Joined from the left all the same, since the planner takes few of these for none at all, and then
-- compares every pair with every product.
LEFT JOIN totals t ON t.shop_id = p.shop_id
LEFT JOIN products x ON x.shop_id = p.shop_id AND x.product_oid = p.product_oid
LEFT JOIN products y ON y.shop_id = p.shop_id AND y.product_oid = p.with_product_oid;
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.status_funnel AS
WITH paths AS MATERIALIZED (
  SELECT shop_id, status_code, earlier, sum(orders)::bigint AS orders
  FROM core.status_path_totals
  GROUP BY shop_id, status_code, earlier
),
groups AS (
  SELECT
    t.shop_id,
    s.shop_key AS shop,
    t.stage,
    t.status_code,
    grouping(t.status_code) = 0 AS is_status,
    max(coalesce(t.name_local, t.name)) AS name,
    min(t.stage_order) AS stage_order,
    array_agg(t.status_code) AS codes
  FROM core.order_statuses t
  JOIN core.shops s ON s.shop_id = t.shop_id
  GROUP BY GROUPING SETS ((t.shop_id, s.shop_key, t.stage), (t.shop_id, s.shop_key, t.stage, t.status_code))
)
SELECT
  g.shop_id,
  g.shop,
  CASE WHEN g.is_status THEN 'status' ELSE 'stage' END AS level,
  g.stage,
  g.status_code,
  CASE WHEN g.is_status THEN g.name END AS status,
  g.stage_order,
  c.reached AS orders_reached,
  c.now AS orders_now,
  c.all_orders,
  (100.0 * c.reached / nullif(c.all_orders, 0))::numeric(7, 4) AS reached_percent,
  (100.0 * c.now / nullif(c.all_orders, 0))::numeric(7, 4) AS now_percent
FROM groups g
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(p.orders) FILTER (WHERE p.status_code = ANY (g.codes) OR p.earlier && g.codes), 0)::bigint AS reached,
    coalesce(sum(p.orders) FILTER (WHERE p.status_code = ANY (g.codes)), 0)::bigint AS now,
    coalesce(sum(p.orders), 0)::bigint AS all_orders
  FROM paths p
  WHERE p.shop_id = g.shop_id
) c;
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.completeness AS
WITH ledger_and_orders AS (
  SELECT
    shop_id, day, verified_at, orders_seen, attempts, last_error,
    0::bigint AS warehouse_orders, 0::bigint AS missing_orders
  FROM ops.days
  UNION ALL
  -- Orders may be in before their day is first written to the ledger: such a day is shown too.
  SELECT shop_id, day, NULL, NULL, 0::smallint, NULL, orders, 0
  FROM core.status_path_totals
  WHERE day IS NOT NULL
  UNION ALL
  SELECT shop_id, created_on, NULL, NULL, 0::smallint, NULL, 0, 1
  FROM core.orders
  WHERE missing_since IS NOT NULL AND deleted_at IS NULL AND created_on IS NOT NULL
),
days AS (
  SELECT
    shop_id, day,
    max(verified_at) AS verified_at,
    max(orders_seen) AS orders,
    sum(warehouse_orders)::bigint AS warehouse_orders,
    sum(missing_orders)::bigint AS missing_orders,
    max(attempts) AS attempts,
    max(last_error) AS last_error
  FROM ledger_and_orders
  GROUP BY shop_id, day
)
SELECT
  d.shop_id,
  s.shop_key AS shop,
  d.day,
  a.age_days,
  d.verified_at,
  d.orders,
  d.warehouse_orders,
  d.missing_orders,
  d.verified_at IS NOT NULL AS is_verified,
  f.freshness_target,
  d.verified_at IS NULL OR d.verified_at <= now() - f.freshness_target AS is_due,
  d.attempts,
  d.last_error
FROM days d
JOIN core.shops s ON s.shop_id = d.shop_id
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date - d.day AS age_days) a
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN a.age_days < 2 THEN interval '5 minutes'
    WHEN a.age_days < 14 THEN interval '1 hour'
    WHEN a.age_days < 60 THEN interval '6 hours'
    WHEN a.age_days < 400 THEN interval '1 day'
    ELSE interval '7 days'
  END AS freshness_target
) f;
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.sync_freshness AS
SELECT
  s.shop_id,
  s.shop_key AS shop,
  ledger.first_day,
  ledger.last_day,
  nullif(coalesce(ledger.first_gap - 1, ledger.last_day), ledger.first_day - 1) AS complete_through,
  runs.last_ok_at,
  runs.last_run_at,
  newest.verified_at AS newest_verified_at,
  -- Days after the last that any sweep knew of were never verified, and are in no table.
  days.due_days + greatest(0, coalesce(today.day - ledger.last_day, 0)) AS due_days,
  days.failing_days,
  orders.orders,
  orders.orders_missing,
  orders.orders_without_lines,
  rejections.open_rejections
FROM core.shops s
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date AS day) today
CROSS JOIN LATERAL (
  SELECT
    min(day) AS first_day,
    max(day) AS last_day,
    min(CASE WHEN verified_at IS NULL THEN day WHEN next_day > day + 1 THEN day + 1 END) AS first_gap
  FROM (
    SELECT day, verified_at, lead(day) OVER (ORDER BY day) AS next_day FROM ops.days WHERE shop_id = s.shop_id
  ) known
) ledger
LEFT JOIN ops.days newest ON newest.shop_id = s.shop_id AND newest.day = ledger.last_day
CROSS JOIN LATERAL (
  SELECT
    max(finished_at) FILTER (WHERE status = 'ok' AND kind IN ('sync', 'backfill')) AS last_ok_at,
    max(started_at) FILTER (WHERE kind IN ('sync', 'backfill')) AS last_run_at
  FROM ops.runs WHERE shop_id = s.shop_id
) runs
CROSS JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE is_due AND age_days >= 0) AS due_days,
    count(*) FILTER (WHERE attempts > 0) AS failing_days
  FROM bi.completeness WHERE shop_id = s.shop_id
) days
CROSS JOIN LATERAL (
  SELECT
    (SELECT coalesce(sum(orders), 0)::bigint FROM core.status_path_totals WHERE shop_id = s.shop_id) AS orders,
    (
      SELECT count(*) FROM core.orders
      WHERE shop_id = s.shop_id AND missing_since IS NOT NULL AND deleted_at IS NULL
    ) AS orders_missing,
    (
      SELECT count(*) FROM core.orders WHERE shop_id = s.shop_id AND lines_state <> 'ok' AND deleted_at IS NULL
    ) AS orders_without_lines
) orders
CROSS JOIN LATERAL (
  SELECT count(*) AS open_rejections FROM ops.rejections WHERE shop_id = s.shop_id AND resolved_at IS NULL
) rejections;
