-- Views about customers and what they buy together.
-- A customer is new with the first of all sales, whatever its currency, so that new customers add up over days and
-- currencies. Sales of one moment are told apart by their numbers.
CREATE OR REPLACE VIEW bi.daily_sales AS
WITH activity AS (
  SELECT
    shop_id, shop, order_date, currency,
    count(*) FILTER (WHERE is_sale) AS orders,
    sum(order_sum) FILTER (WHERE is_sale) AS revenue,
    count(order_sum) FILTER (WHERE is_sale) AS priced_orders,
    sum(paid_amount) FILTER (WHERE is_sale) AS paid,
    sum(item_count) FILTER (WHERE is_sale) AS items,
    count(DISTINCT customer_key) FILTER (WHERE is_sale) AS customers,
    0::bigint AS new_customers,
    count(*) FILTER (WHERE stage = 'cancelled') AS cancelled_orders,
    count(*) FILTER (WHERE stage = 'returned') AS returned_orders,
    count(*) FILTER (WHERE stage = 'draft') AS draft_orders,
    count(*) FILTER (WHERE NOT is_sale AND stage NOT IN ('cancelled', 'returned', 'draft')) AS other_orders
  FROM bi.orders
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
    NULL::bigint AS items,
    0::bigint AS customers,
    count(*) AS new_customers,
    0::bigint AS cancelled_orders,
    0::bigint AS returned_orders,
    0::bigint AS draft_orders,
    0::bigint AS other_orders
  FROM bi.orders o
  WHERE is_sale AND order_date IS NOT NULL AND NOT EXISTS (
    SELECT FROM bi.orders earlier
    WHERE earlier.shop_id = o.shop_id AND earlier.customer_key = o.customer_key AND earlier.is_sale
      AND (earlier.created_at, earlier.order_id) < (o.created_at, o.order_id)
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
  coalesce(sum(items), 0)::bigint AS items,
  sum(customers)::bigint AS customers,
  sum(new_customers)::bigint AS new_customers,
  sum(cancelled_orders)::bigint AS cancelled_orders,
  sum(returned_orders)::bigint AS returned_orders,
  sum(draft_orders)::bigint AS draft_orders,
  sum(other_orders)::bigint AS other_orders,
  CASE WHEN order_date IS NULL THEN 0 ELSE sum(customers)::bigint - sum(new_customers)::bigint END AS returning_customers
FROM parts
GROUP BY shop_id, shop, order_date, currency;
--> statement-breakpoint
COMMENT ON COLUMN bi.daily_sales.new_customers IS 'Of these customers, the ones whose very first sale in the shop, in any currency, is in this row; adds up over days and currencies. 0 in the row without a date.';
COMMENT ON COLUMN bi.daily_sales.returning_customers IS 'Of these customers, the ones with an earlier sale in the shop, in any currency; does not add up over days or currencies. 0 in the row without a date.';
--> statement-breakpoint
-- Scores by rank in whole numbers, not by ntile(): equal customers get equal scores, and the same ones every time.
CREATE OR REPLACE VIEW bi.customer_rfm AS
WITH ranked AS (
  SELECT
    c.*,
    (now() AT TIME ZONE s.timezone)::date - c.last_order_date AS recency_days,
    count(*) OVER peers AS peers,
    rank() OVER (PARTITION BY c.shop_id, c.shop, c.currency ORDER BY c.last_order_date NULLS FIRST) - 1 AS staler,
    rank() OVER (PARTITION BY c.shop_id, c.shop, c.currency ORDER BY c.orders) - 1 AS rarer,
    rank() OVER (PARTITION BY c.shop_id, c.shop, c.currency ORDER BY c.lifetime_revenue) - 1 AS poorer
  FROM bi.customers c
  JOIN core.shops s ON s.shop_id = c.shop_id
  WINDOW peers AS (PARTITION BY c.shop_id, c.shop, c.currency)
),
scored AS (
  SELECT
    *,
    least(5, 1 + 5 * staler / greatest(peers - 1, 1))::smallint AS recency_score,
    least(5, 1 + 5 * rarer / greatest(peers - 1, 1))::smallint AS frequency_score,
    least(5, 1 + 5 * poorer / greatest(peers - 1, 1))::smallint AS monetary_score
  FROM ranked
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
COMMENT ON VIEW bi.customer_rfm IS 'One row per shop, customer and currency with at least one sale: how recently, how often and for how much the customer bought, each scored from 1 to 5 against the shop''s other customers in the currency. A score tells in which fifth of them a customer stands; equal customers get equal scores, the lower one.';
COMMENT ON COLUMN bi.customer_rfm.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.customer_rfm.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.customer_rfm.customer_key IS 'Pseudonym of the buyer, as in bi.orders; a guest without contact is a new customer with every order.';
COMMENT ON COLUMN bi.customer_rfm.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.customer_rfm.last_order_date IS 'Day of the latest sale in this currency, in the shop''s time zone. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customer_rfm.recency_days IS 'How many days ago that was, by the shop''s own calendar. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customer_rfm.frequency IS 'Number of sales in this currency.';
COMMENT ON COLUMN bi.customer_rfm.monetary IS 'Sum of the order totals of these sales.';
COMMENT ON COLUMN bi.customer_rfm.recency_score IS 'From 1 for those who bought longest ago to 5 for the latest buyers.';
COMMENT ON COLUMN bi.customer_rfm.frequency_score IS 'From 1 for the rarest buyers to 5 for the most frequent ones; customers with one sale all get 1.';
COMMENT ON COLUMN bi.customer_rfm.monetary_score IS 'From 1 for the least revenue to 5 for the most.';
COMMENT ON COLUMN bi.customer_rfm.rfm_score IS 'The three scores in this order as one text, such as 543.';
COMMENT ON COLUMN bi.customer_rfm.segment IS 'By recency and frequency score: champions (both 4 or more), loyal (both 3 or more), new (recency 4 or more, one sale), promising (recency 4 or more), needs attention (recency 3); of the less recent: cannot lose (frequency 4 or more), at risk (frequency 3), hibernating (recency 2), lost.';
COMMENT ON COLUMN bi.customer_rfm.is_guest IS 'True when none of these sales has a registered buyer.';
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.cohorts_monthly AS
WITH bought AS (
  SELECT
    shop_id, shop, currency, customer_key,
    date_trunc('month', order_date)::date AS month,
    count(*) AS orders,
    sum(order_sum) AS revenue
  FROM bi.orders
  WHERE is_sale AND order_date IS NOT NULL
  GROUP BY shop_id, shop, currency, customer_key, date_trunc('month', order_date)
),
dated AS (
  SELECT
    *,
    min(month) OVER (PARTITION BY shop_id, shop, currency, customer_key) AS cohort_month,
    max(month) OVER (PARTITION BY shop_id, shop, currency) AS last_month
  FROM bought
),
active AS (
  SELECT
    shop_id, shop, currency, cohort_month,
    (12 * extract(year FROM month) + extract(month FROM month)
      - 12 * extract(year FROM cohort_month) - extract(month FROM cohort_month))::integer AS months_since,
    (12 * extract(year FROM last_month) + extract(month FROM last_month)
      - 12 * extract(year FROM cohort_month) - extract(month FROM cohort_month))::integer AS last_since,
    count(*) AS customers,
    sum(orders)::bigint AS orders,
    sum(revenue) AS revenue
  FROM dated
  GROUP BY shop_id, shop, currency, cohort_month, month, last_month
),
-- A month in which nobody of the cohort bought has no row yet; the row before stands in for it.
spans AS (
  SELECT
    *,
    max(customers) FILTER (WHERE months_since = 0) OVER cohort AS cohort_customers,
    coalesce(lead(months_since) OVER (cohort ORDER BY months_since) - 1, last_since) AS until
  FROM active
  WINDOW cohort AS (PARTITION BY shop_id, shop, currency, cohort_month)
)
SELECT
  a.shop_id,
  a.shop,
  a.cohort_month,
  a.currency,
  n.months_since,
  a.cohort_customers,
  CASE WHEN n.months_since = a.months_since THEN a.customers ELSE 0 END AS customers,
  CASE WHEN n.months_since = a.months_since THEN a.orders ELSE 0 END AS orders,
  CASE WHEN n.months_since = a.months_since THEN coalesce(a.revenue, 0) ELSE 0 END::numeric(16, 2) AS revenue,
  (CASE WHEN n.months_since = a.months_since THEN 100.0 * a.customers / a.cohort_customers ELSE 0 END)::numeric(7, 4) AS retention_percent
FROM spans a
CROSS JOIN LATERAL generate_series(a.months_since, a.until) AS n(months_since);
--> statement-breakpoint
COMMENT ON VIEW bi.cohorts_monthly IS 'One row per shop, currency, month of the first sale and month since: what became of the customers who began to buy in the same month. The months run up to the latest one with a sale in the currency; one in which nobody of the cohort bought says 0. Sales without a readable date are left out.';
COMMENT ON COLUMN bi.cohorts_monthly.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.cohorts_monthly.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.cohorts_monthly.cohort_month IS 'First day of the month of the customers'' first sale in this currency, by the shop''s own calendar.';
COMMENT ON COLUMN bi.cohorts_monthly.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.cohorts_monthly.months_since IS 'Calendar months from cohort_month to the month that the row is about; 0 is the cohort''s own month.';
COMMENT ON COLUMN bi.cohorts_monthly.cohort_customers IS 'Customers in the cohort, the same in each of its rows. A guest without contact is a customer of one order, and lowers the retention.';
COMMENT ON COLUMN bi.cohorts_monthly.customers IS 'Of these customers, the ones with a sale in that month in this currency.';
COMMENT ON COLUMN bi.cohorts_monthly.orders IS 'Their sales in that month.';
COMMENT ON COLUMN bi.cohorts_monthly.revenue IS 'Sum of the order totals of these sales.';
COMMENT ON COLUMN bi.cohorts_monthly.retention_percent IS 'Part of cohort_customers that bought in that month, in per cent; 100 for the first month.';
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.basket AS
WITH baskets AS (
  SELECT shop_id, shop, array_agg(DISTINCT product_oid) AS products
  FROM bi.order_lines
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
--> statement-breakpoint
COMMENT ON VIEW bi.basket IS 'One row per shop and two products that were bought in one sale, from each of the two sides: filter on product_oid to see what goes with it. Over all sales with a known product, whatever their currency; a product counts once per order, in whatever variants and quantity. Goes through every order line: give it time.';
COMMENT ON COLUMN bi.basket.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.basket.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.basket.product_oid IS 'The shop''s number of the product.';
COMMENT ON COLUMN bi.basket.product_name IS 'Its name in the order with the highest number. NULL: none was ever sent.';
COMMENT ON COLUMN bi.basket.with_product_oid IS 'The shop''s number of the product bought with it.';
COMMENT ON COLUMN bi.basket.with_product_name IS 'Name of that product in the order with the highest number. NULL: none was ever sent.';
COMMENT ON COLUMN bi.basket.orders_together IS 'Sales that contain both.';
COMMENT ON COLUMN bi.basket.product_orders IS 'Sales that contain product_oid, with or without the other.';
COMMENT ON COLUMN bi.basket.with_product_orders IS 'Sales that contain with_product_oid, with or without the other.';
COMMENT ON COLUMN bi.basket.all_orders IS 'Sales of the shop that contain any product.';
COMMENT ON COLUMN bi.basket.support_percent IS 'Part of all_orders that contains both, in per cent.';
COMMENT ON COLUMN bi.basket.confidence_percent IS 'Part of product_orders that contains the other product too, in per cent.';
COMMENT ON COLUMN bi.basket.lift IS 'How many times more often both are bought together than if the one had nothing to do with the other; 1: just as often. Means little where orders_together is small.';
