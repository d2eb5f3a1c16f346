-- The views as they would be without summaries: each counts every order. They say what the figures must be.

CREATE VIEW plain.orders AS
SELECT
  o.shop_id,
  s.shop_key AS shop,
  o.order_id,
  o.created_on AS order_date,
  o.created_at,
  o.updated_at,
  o.status_code,
  coalesce(t.name_local, t.name) AS status,
  t.stage,
  t.is_sale AND o.deleted_at IS NULL AS is_sale,
  o.pay_status_code,
  coalesce(p.name_local, p.name) AS pay_status,
  o.color,
  o.currency,
  o.pay_method,
  o.order_sum,
  o.paid_amount,
  (coalesce(o.order_sum, 0) - coalesce(o.paid_amount, 0))::numeric(14, 2) AS amount_due,
  o.delivery_price,
  o.discount_raw,
  o.discount_percent,
  o.item_count,
  o.weight,
  o.delivery_id,
  o.delivery_name,
  o.customer_key,
  o.buyer_oid,
  o.is_guest,
  u.group_oid,
  g.name AS user_group,
  o.lines_state,
  o.missing_since IS NOT NULL AS is_missing,
  o.deleted_at IS NOT NULL AS is_deleted,
  o.units,
  o.lines_total,
  o.list_total,
  CASE
    WHEN o.discount_raw IS NULL THEN 0
    WHEN o.discount_percent IS NOT NULL THEN round(o.list_total * o.discount_percent / 100, 2)
    WHEN o.discount_raw ~ '^\s*[0-9]' THEN replace(o.discount_raw, ',', '.')::numeric
  END AS order_discount
FROM core.orders o
JOIN core.shops s USING (shop_id)
JOIN core.order_statuses t USING (shop_id, status_code)
JOIN core.payment_statuses p USING (shop_id, pay_status_code)
LEFT JOIN core.users u ON u.shop_id = o.shop_id AND u.user_oid = o.buyer_oid AND NOT o.is_guest
LEFT JOIN core.user_groups g ON g.shop_id = u.shop_id AND g.group_oid = u.group_oid;

CREATE VIEW plain.order_lines AS
SELECT
  l.shop_id,
  o.shop,
  l.order_id,
  l.line_no,
  o.order_date,
  o.created_at,
  o.status_code,
  o.status,
  o.stage,
  o.is_sale,
  o.is_deleted,
  o.currency,
  o.customer_key,
  o.is_guest,
  l.line_oid,
  l.product_oid,
  l.spec_hash,
  l.code,
  l.product_name,
  l.sku,
  l.quantity,
  l.unit_price,
  l.line_total,
  l.list_price,
  l.list_total,
  -- A list total of 0 cannot be a price that was discounted: the shop sent none.
  (nullif(l.list_total, 0) - l.line_total)::numeric(14, 2) AS line_discount,
  l.discount_raw,
  l.discount_percent
FROM core.order_lines l
JOIN plain.orders o ON o.shop_id = l.shop_id AND o.order_id = l.order_id;

CREATE VIEW plain.histories AS
SELECT shop_id, history_from
FROM (
  SELECT s.shop_id, greatest(t.history_from, (
    SELECT d.day + 1 FROM ops.days d
    WHERE d.shop_id = s.shop_id AND d.verified_at IS NULL AND d.last_verified_at IS NULL
      AND NOT EXISTS (SELECT FROM ops.days e WHERE e.shop_id = d.shop_id AND e.day < d.day)
  )) AS history_from
  FROM core.shops s LEFT JOIN ops.shop_state t ON t.shop_id = s.shop_id
) known
WHERE history_from IS NOT NULL;

CREATE VIEW plain.daily_sales AS
WITH activity AS (
  SELECT
    shop_id, shop, order_date, currency,
    count(*) FILTER (WHERE is_sale) AS orders,
    sum(order_sum) FILTER (WHERE is_sale) AS revenue,
    count(order_sum) FILTER (WHERE is_sale) AS priced_orders,
    sum(paid_amount) FILTER (WHERE is_sale) AS paid,
    sum(units) FILTER (WHERE is_sale) AS items,
    count(DISTINCT customer_key) FILTER (WHERE is_sale) AS customers,
    0::bigint AS new_customers,
    count(*) FILTER (WHERE stage = 'cancelled') AS cancelled_orders,
    count(*) FILTER (WHERE stage = 'returned') AS returned_orders,
    count(*) FILTER (WHERE stage = 'draft') AS draft_orders,
    count(*) FILTER (WHERE NOT is_sale AND stage NOT IN ('cancelled', 'returned', 'draft')) AS other_orders,
    sum(lines_total) FILTER (WHERE is_sale) AS goods,
    sum(list_total - lines_total) FILTER (WHERE is_sale) AS line_discount,
    sum(order_discount) FILTER (WHERE is_sale) AS order_discount,
    sum(delivery_price) FILTER (WHERE is_sale) AS delivery,
    sum(order_sum) FILTER (WHERE stage = 'cancelled') AS cancelled,
    sum(order_sum) FILTER (WHERE stage = 'returned') AS returned
  FROM plain.orders
  WHERE NOT is_deleted
  GROUP BY shop_id, shop, order_date, currency
),
-- Added as rows, not joined: so a filter on the date reaches this part as well, and a month asks the index about its
-- own customers only, where a first sale per customer would need every order ever.
newcomers AS (
  SELECT
    shop_id, shop, order_date, currency,
    0::bigint AS orders,
    NULL::numeric AS revenue,
    0::bigint AS priced_orders,
    NULL::numeric AS paid,
    NULL::numeric AS items,
    0::bigint AS customers,
    count(*) AS new_customers,
    0::bigint AS cancelled_orders,
    0::bigint AS returned_orders,
    0::bigint AS draft_orders,
    0::bigint AS other_orders,
    NULL::numeric AS goods, NULL::numeric, NULL::numeric, NULL::numeric, NULL::numeric, NULL::numeric
  FROM plain.orders o
  WHERE is_sale AND NOT EXISTS (
    SELECT FROM plain.orders earlier
    WHERE earlier.shop_id = o.shop_id AND earlier.customer_key = o.customer_key AND earlier.is_sale
      AND (earlier.order_date IS NULL, coalesce(earlier.created_at, 'infinity'), earlier.order_id)
        < (o.order_date IS NULL, coalesce(o.created_at, 'infinity'), o.order_id)
  )
  GROUP BY shop_id, shop, order_date, currency
),
parts AS (SELECT * FROM activity UNION ALL SELECT * FROM newcomers)
SELECT
  shop_id, shop, order_date, currency,
  sum(orders)::bigint AS orders,
  coalesce(sum(revenue), 0)::numeric(16, 2) AS revenue,
  coalesce(sum(paid), 0)::numeric(16, 2) AS paid,
  (sum(revenue) / nullif(sum(priced_orders), 0))::numeric(16, 2) AS avg_order_value,
  coalesce(sum(items), 0)::numeric(16, 3) AS items,
  sum(customers)::bigint AS customers,
  CASE WHEN h.history_from IS NULL THEN sum(new_customers)::bigint END AS new_customers,
  sum(cancelled_orders)::bigint AS cancelled_orders,
  sum(returned_orders)::bigint AS returned_orders,
  sum(draft_orders)::bigint AS draft_orders,
  sum(other_orders)::bigint AS other_orders,
  CASE WHEN h.history_from IS NULL THEN sum(customers)::bigint - sum(new_customers)::bigint END AS returning_customers,
  (SELECT NOT u.days @> p.order_date FROM bi.unverified_days u WHERE u.shop_id = p.shop_id) AS is_verified,
  coalesce(sum(goods), 0)::numeric(16, 2) AS goods_amount,
  coalesce(sum(line_discount), 0)::numeric(16, 2) AS line_discount,
  coalesce(sum(order_discount), 0)::numeric(16, 2) AS order_discount,
  coalesce(sum(delivery), 0)::numeric(16, 2) AS delivery_amount,
  (coalesce(sum(revenue), 0) - coalesce(sum(goods), 0) + coalesce(sum(order_discount), 0) - coalesce(sum(delivery), 0))::numeric(16, 2) AS other_amount,
  coalesce(sum(cancelled), 0)::numeric(16, 2) AS cancelled_amount,
  coalesce(sum(returned), 0)::numeric(16, 2) AS returned_amount,
  h.history_from
FROM parts p
LEFT JOIN plain.histories h USING (shop_id)
GROUP BY shop_id, shop, order_date, currency, h.history_from;

CREATE VIEW plain.customer_currencies AS
SELECT
  shop_id,
  shop,
  customer_key,
  currency,
  1 = row_number() OVER (
    PARTITION BY shop_id, customer_key ORDER BY count(*) DESC, max(created_at) DESC NULLS LAST, max(order_id) DESC
  ) AS is_main,
  min(order_date) AS first_order_date,
  max(order_date) AS last_order_date,
  count(*) AS orders,
  coalesce(sum(order_sum), 0)::numeric(16, 2) AS lifetime_revenue,
  avg(order_sum)::numeric(16, 2) AS avg_order_value,
  (SELECT history_from FROM plain.histories h WHERE h.shop_id = o.shop_id) AS history_from
FROM plain.orders o
WHERE is_sale
GROUP BY shop_id, shop, customer_key, currency;

CREATE VIEW plain.customers AS
SELECT
  c.shop_id,
  c.shop,
  c.customer_key,
  c.currency,
  a.first_order_date,
  a.last_order_date,
  a.orders AS all_orders,
  c.lifetime_revenue,
  c.avg_order_value,
  CASE WHEN a.orders > 1 THEN true WHEN c.history_from IS NULL THEN false END AS is_repeat,
  a.is_guest,
  a.group_oid,
  a.user_group,
  c.orders,
  a.currencies,
  a.registered_on,
  c.history_from
FROM plain.customer_currencies c
JOIN (
  SELECT
    shop_id, customer_key,
    min(order_date) AS first_order_date,
    max(order_date) AS last_order_date,
    count(*) AS orders,
    bool_and(is_guest) AS is_guest,
    -- A key stands for one buyer at most, so these are its one value, not a choice.
    max(group_oid) AS group_oid,
    max(user_group) AS user_group,
    count(DISTINCT coalesce(currency, '')) AS currencies,
    (SELECT u.created_local::date FROM core.users u WHERE u.shop_id = o.shop_id AND u.user_oid = max(o.buyer_oid) FILTER (WHERE NOT is_guest)) AS registered_on
  FROM plain.orders o
  WHERE is_sale
  GROUP BY shop_id, customer_key
) a USING (shop_id, customer_key)
WHERE c.is_main;

-- By the rank of each customer among all others.
CREATE VIEW plain.customer_rfm AS
WITH ranked AS (
  SELECT
    c.*,
    (now() AT TIME ZONE s.timezone)::date - c.last_order_date AS recency_days,
    count(*) OVER currency AS peers,
    rank() OVER (currency ORDER BY c.last_order_date DESC NULLS LAST) - 1 AS fresher,
    count(*) FILTER (WHERE c.all_orders > 1) OVER currency AS returned,
    rank() OVER (currency ORDER BY c.all_orders DESC) - 1 AS keener,
    rank() OVER (currency ORDER BY c.lifetime_revenue DESC) - 1 AS richer
  FROM plain.customers c
  JOIN core.shops s ON s.shop_id = c.shop_id
  WINDOW currency AS (PARTITION BY c.shop_id, c.currency)
),
scored AS (
  SELECT
    *,
    CASE WHEN peers < 5 THEN NULL WHEN last_order_date IS NULL THEN 1 ELSE 5 - 5 * fresher / peers END AS r,
    CASE WHEN peers < 5 THEN NULL WHEN all_orders = 1 THEN 1 ELSE 5 - 5 * keener / returned END AS f,
    CASE WHEN peers >= 5 THEN 5 - 5 * richer / peers END AS m
  FROM ranked
)
SELECT
  shop_id, shop, customer_key, currency, last_order_date, recency_days, all_orders, lifetime_revenue,
  r::smallint AS recency_score, f::smallint AS frequency_score, m::smallint AS monetary_score,
  r::text || f || m AS rfm_score,
  CASE
    WHEN r > 3 THEN (ARRAY[CASE WHEN all_orders > 1 THEN 'promising' WHEN history_from IS NULL THEN 'new' END, 'promising', 'loyal', 'champions',
      'champions'])[f]
    WHEN r = 3 THEN (ARRAY['needs attention', 'needs attention', 'loyal', 'loyal', 'loyal'])[f]
    WHEN r = 2 THEN (ARRAY['hibernating', 'hibernating', 'at risk', 'cannot lose', 'cannot lose'])[f]
    WHEN r = 1 THEN (ARRAY['lost', 'lost', 'at risk', 'cannot lose', 'cannot lose'])[f]
  END AS segment,
  is_guest, orders, history_from
FROM scored;

CREATE VIEW plain.cohort_revenue AS
SELECT
  o.shop_id,
  o.shop,
  c.cohort_month,
  (12 * extract(year FROM o.order_date) + extract(month FROM o.order_date)
    - 12 * extract(year FROM c.cohort_month) - extract(month FROM c.cohort_month))::integer AS months_since,
  o.currency,
  count(DISTINCT o.customer_key) AS customers,
  count(*) AS orders,
  coalesce(sum(o.order_sum), 0)::numeric(16, 2) AS revenue
FROM plain.orders o
JOIN (
  SELECT shop_id, customer_key, date_trunc('month', first_order_date::timestamp)::date AS cohort_month FROM plain.customers
  WHERE history_from IS NULL
) c USING (shop_id, customer_key)
WHERE o.is_sale AND o.order_date IS NOT NULL
GROUP BY 1, 2, 3, 4, 5;

CREATE VIEW plain.cohorts_monthly AS
WITH sales AS (
  SELECT o.shop_id, o.shop, o.customer_key, o.order_date, CASE WHEN c.history_from IS NULL THEN date_trunc('month', c.first_order_date::timestamp)::date END AS cohort_month
  FROM plain.orders o
  JOIN plain.customers c USING (shop_id, customer_key)
  WHERE o.is_sale
),
spans AS (
  SELECT
    s.shop_id, s.shop, s.cohort_month,
    count(DISTINCT s.customer_key) AS cohort_customers,
    CASE WHEN s.cohort_month IS NULL THEN 0 ELSE
      (SELECT (12 * extract(year FROM max(order_date)) + extract(month FROM max(order_date))
        - 12 * extract(year FROM s.cohort_month) - extract(month FROM s.cohort_month))::integer
      FROM sales WHERE shop_id = s.shop_id)
    END AS last_since
  FROM sales s
  GROUP BY s.shop_id, s.shop, s.cohort_month
)
SELECT
  a.shop_id,
  a.shop,
  a.cohort_month,
  n.months_since,
  a.cohort_customers,
  b.customers,
  b.orders,
  (100.0 * b.customers / a.cohort_customers)::numeric(7, 4) AS retention_percent,
  (SELECT history_from FROM plain.histories h WHERE h.shop_id = a.shop_id) AS history_from
FROM spans a
CROSS JOIN LATERAL generate_series(0, a.last_since) AS n(months_since)
CROSS JOIN LATERAL (
  SELECT count(DISTINCT customer_key) AS customers, count(*) AS orders
  FROM sales s
  WHERE s.shop_id = a.shop_id AND s.cohort_month IS NOT DISTINCT FROM a.cohort_month
    AND (a.cohort_month IS NULL OR date_trunc('month', s.order_date::timestamp) = a.cohort_month + make_interval(months => n.months_since))
) b;

CREATE VIEW plain.products AS
SELECT
  l.shop_id,
  o.shop,
  l.product_oid,
  (array_agg(l.product_name ORDER BY l.order_id DESC, l.line_no DESC) FILTER (WHERE l.product_name IS NOT NULL))[1] AS product_name,
  string_agg(DISTINCT l.sku, ', ' ORDER BY l.sku) FILTER (WHERE NOT o.is_deleted) AS skus,
  min(o.order_date) FILTER (WHERE o.is_sale) AS first_sale_date,
  max(o.order_date) FILTER (WHERE o.is_sale) AS last_sale_date,
  count(DISTINCT l.order_id) FILTER (WHERE o.is_sale) AS orders
FROM core.order_lines l
JOIN plain.orders o USING (shop_id, order_id)
WHERE l.product_oid IS NOT NULL
GROUP BY l.shop_id, o.shop, l.product_oid
HAVING bool_or(NOT o.is_deleted);

CREATE VIEW plain.basket AS
WITH baskets AS (
  SELECT shop_id, shop, array_agg(DISTINCT product_oid) AS products
  FROM plain.order_lines
  WHERE is_sale AND product_oid IS NOT NULL
  GROUP BY shop_id, shop, order_id
),
totals AS (SELECT shop_id, count(*) AS orders FROM baskets GROUP BY shop_id),
products AS (
  SELECT b.shop_id, b.product_oid, b.orders, latest.product_name
  FROM (
    SELECT shop_id, product_oid, count(*) AS orders FROM baskets, unnest(products) AS product_oid GROUP BY shop_id, product_oid
  ) b
  LEFT JOIN LATERAL (
    SELECT l.product_name FROM core.order_lines l
    WHERE l.shop_id = b.shop_id AND l.product_oid = b.product_oid AND l.product_name IS NOT NULL
    ORDER BY l.order_id DESC, l.line_no DESC LIMIT 1
  ) latest ON true
),
-- Within each basket: joining the lines with themselves is slow where the planner has no statistics yet.
pairs AS (
  SELECT shop_id, shop, one AS product_oid, other AS with_product_oid, count(*) AS orders
  FROM baskets, unnest(products) AS one, unnest(products) AS other
  WHERE one <> other
  GROUP BY shop_id, shop, one, other
)
SELECT
  p.shop_id,
  p.shop,
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
JOIN totals t ON t.shop_id = p.shop_id
JOIN products x ON x.shop_id = p.shop_id AND x.product_oid = p.product_oid
JOIN products y ON y.shop_id = p.shop_id AND y.product_oid = p.with_product_oid;

CREATE VIEW plain.status_funnel AS
WITH based AS (
  SELECT
    o.shop_id, o.order_id, o.currency, date_trunc('month', o.created_on::timestamp)::date AS order_month,
    CASE WHEN w.is_shown THEN left(nullif(btrim(p.fields -> 'source' ->> 'value'), ''), 100) END AS source
  FROM core.orders o
  LEFT JOIN core.order_persons p ON p.shop_id = o.shop_id AND p.order_id = o.order_id
  LEFT JOIN core.order_form_fields w ON w.shop_id = o.shop_id AND w.field_key = 'source'
  WHERE o.deleted_at IS NULL
),
bases AS (
  SELECT *, jsonb_build_array(order_month, currency, source) AS base
  FROM (SELECT shop_id, order_month, currency, source, count(*) AS orders FROM based GROUP BY 1, 2, 3, 4) b
),
seen AS (
  SELECT shop_id, order_id, status_code, true AS is_now FROM core.orders
  UNION ALL
  SELECT shop_id, order_id, status_code, false FROM core.order_history WHERE observed_until IS NOT NULL
),
hits AS MATERIALIZED (
  SELECT seen.*, jsonb_build_array(b.order_month, b.currency, b.source) AS base FROM based b JOIN seen USING (shop_id, order_id)
)
SELECT
  t.shop_id,
  s.shop_key AS shop,
  CASE WHEN grouping(t.status_code) = 0 THEN 'status' ELSE 'stage' END AS level,
  t.stage,
  t.status_code,
  CASE WHEN grouping(t.status_code) = 0 THEN max(coalesce(t.name_local, t.name)) END AS status,
  min(t.stage_order) AS stage_order,
  count(DISTINCT seen.order_id) AS orders_reached,
  count(*) FILTER (WHERE seen.is_now) AS orders_now,
  a.orders AS all_orders,
  (100.0 * count(DISTINCT seen.order_id) / a.orders)::numeric(7, 4) AS reached_percent,
  (100.0 * count(*) FILTER (WHERE seen.is_now) / a.orders)::numeric(7, 4) AS now_percent,
  a.order_month,
  a.currency,
  a.source,
  s.created_at AS watched_since
FROM core.order_statuses t
JOIN core.shops s ON s.shop_id = t.shop_id
JOIN bases a ON a.shop_id = t.shop_id
LEFT JOIN hits seen ON seen.shop_id = t.shop_id AND seen.status_code = t.status_code AND seen.base = a.base
GROUP BY GROUPING SETS (
  (t.shop_id, s.shop_key, s.created_at, a.orders, a.order_month, a.currency, a.source, t.stage),
  (t.shop_id, s.shop_key, s.created_at, a.orders, a.order_month, a.currency, a.source, t.stage, t.status_code));

CREATE VIEW plain.completeness AS
WITH ledger_and_orders AS (
  SELECT
    shop_id, day, verified_at, orders_seen, attempts, last_error,
    0::bigint AS warehouse_orders, 0::bigint AS missing_orders,
    NULL::timestamptz AS confirmed_at
  FROM ops.days
  UNION ALL
  -- Orders may be in before their day is first written to the ledger: such a day is shown too.
  SELECT shop_id, created_on, NULL, NULL, 0::smallint, NULL, count(*), count(missing_since),
    max(missing_since) + interval '5 minutes'
  FROM core.orders
  WHERE deleted_at IS NULL AND created_on IS NOT NULL
  GROUP BY shop_id, created_on
),
days AS (
  SELECT
    shop_id, day,
    max(verified_at) AS verified_at,
    max(orders_seen) AS orders,
    sum(warehouse_orders)::bigint AS warehouse_orders,
    sum(missing_orders)::bigint AS missing_orders,
    max(confirmed_at) AS confirmed_at,
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
  (SELECT NOT u.days @> d.day FROM bi.unverified_days u WHERE u.shop_id = d.shop_id) AS is_verified,
  f.freshness_target,
  d.verified_at IS NULL OR d.verified_at <= now() - f.freshness_target
  OR EXISTS (SELECT FROM core.orders o WHERE o.shop_id = d.shop_id AND o.created_on = d.day AND o.deleted_at IS NULL
    AND o.missing_since <= now() - interval '5 minutes') AS is_due,
  d.attempts,
  d.last_error,
  d.confirmed_at
FROM days d
JOIN core.shops s ON s.shop_id = d.shop_id
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date - d.day AS age_days) a
CROSS JOIN LATERAL (
  SELECT r.target AS freshness_target FROM plain.freshness r
  WHERE r.younger_than_days IS NULL OR a.age_days < r.younger_than_days
  ORDER BY r.younger_than_days NULLS LAST LIMIT 1
) f;

CREATE VIEW plain.sync_freshness AS
SELECT
  s.shop_id,
  s.shop_key AS shop,
  ledger.first_day,
  ledger.last_day,
  nullif(coalesce(ledger.first_gap - 1, ledger.last_day), ledger.first_day - 1) AS complete_through,
  state.ok_at AS last_ok_at,
  greatest(state.looked_at, runs.last_run_at) AS last_run_at,
  newest.verified_at AS newest_verified_at,
  -- Days after the last that any sweep knew of were never verified, and are in no table.
  days.due_days + greatest(0, coalesce(today.day - ledger.last_day, 0)) AS due_days,
  days.failing_days,
  orders.orders,
  orders.orders_missing,
  orders.orders_without_lines,
  rejections.open_rejections,
  (state.memory -> 'counts' ->> 'at')::timestamptz AS counted_at,
  (state.memory -> 'counts' ->> 'through')::date AS counted_through,
  (state.memory -> 'counts' ->> 'orders')::bigint AS counted_orders
FROM core.shops s
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date AS day) today
CROSS JOIN LATERAL (
  SELECT
    min(day) AS first_day,
    max(day) AS last_day,
    min(CASE WHEN verified_at IS NULL OR is_doubtful THEN day WHEN next_day > day + 1 THEN day + 1 END) AS first_gap
  FROM (
    SELECT day, verified_at, lead(day) OVER (ORDER BY day) AS next_day,
      day < today.day AND verified_at < (day + 1)::timestamp AT TIME ZONE s.timezone OR EXISTS (
        SELECT FROM core.orders o
        WHERE o.shop_id = d.shop_id AND o.created_on = d.day AND o.missing_since IS NOT NULL AND o.deleted_at IS NULL
      ) AS is_doubtful
    FROM ops.days d WHERE shop_id = s.shop_id
  ) known
) ledger
LEFT JOIN ops.days newest ON newest.shop_id = s.shop_id AND newest.day = ledger.last_day
LEFT JOIN ops.shop_state state ON state.shop_id = s.shop_id
CROSS JOIN LATERAL (
  SELECT max(started_at) FILTER (WHERE kind IN ('sync', 'backfill')) AS last_run_at FROM ops.runs WHERE shop_id = s.shop_id
) runs
CROSS JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE is_due AND age_days >= 0) AS due_days,
    count(*) FILTER (WHERE attempts > 0) AS failing_days
  FROM plain.completeness WHERE shop_id = s.shop_id
) days
CROSS JOIN LATERAL (
  SELECT
    count(*) AS orders,
    count(missing_since) AS orders_missing,
    count(*) FILTER (WHERE lines_state <> 'ok') AS orders_without_lines
  FROM core.orders WHERE shop_id = s.shop_id AND deleted_at IS NULL
) orders
CROSS JOIN LATERAL (
  SELECT count(*) AS open_rejections FROM ops.rejections WHERE shop_id = s.shop_id AND resolved_at IS NULL
) rejections;
