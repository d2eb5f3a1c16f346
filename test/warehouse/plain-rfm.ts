/** What `bi.customer_rfm` must say, by the rank of each customer among all others; `plain.customers` is what it reads. */
export const PLAIN_CUSTOMER_RFM = `
CREATE OR REPLACE VIEW plain.customer_rfm AS
WITH ranked AS (
  SELECT
    c.*,
    (now() AT TIME ZONE s.timezone)::date - c.last_order_date AS recency_days,
    count(*) OVER currency AS peers,
    rank() OVER (currency ORDER BY c.last_order_date DESC NULLS LAST) - 1 AS fresher,
    count(*) FILTER (WHERE c.orders > 1) OVER currency AS returned,
    rank() OVER (currency ORDER BY c.orders DESC) - 1 AS keener,
    rank() OVER (currency ORDER BY c.lifetime_revenue DESC) - 1 AS richer
  FROM plain.customers c
  JOIN core.shops s ON s.shop_id = c.shop_id
  WINDOW currency AS (PARTITION BY c.shop_id, c.currency)
),
scored AS (
  SELECT
    *,
    CASE WHEN peers < 5 THEN NULL WHEN last_order_date IS NULL THEN 1 ELSE 5 - 5 * fresher / peers END AS r,
    CASE WHEN peers < 5 THEN NULL WHEN orders = 1 THEN 1 ELSE 5 - 5 * keener / returned END AS f,
    CASE WHEN peers >= 5 THEN 5 - 5 * richer / peers END AS m
  FROM ranked
)
SELECT
  shop_id, shop, customer_key, currency, last_order_date, recency_days, orders AS frequency, lifetime_revenue AS monetary,
  r::smallint AS recency_score, f::smallint AS frequency_score, m::smallint AS monetary_score,
  r::text || f || m AS rfm_score,
  CASE
    WHEN r > 3 THEN (ARRAY[CASE WHEN orders = 1 THEN 'new' ELSE 'promising' END, 'promising', 'loyal', 'champions',
      'champions'])[f]
    WHEN r = 3 THEN (ARRAY['needs attention', 'needs attention', 'loyal', 'loyal', 'loyal'])[f]
    WHEN r = 2 THEN (ARRAY['hibernating', 'hibernating', 'at risk', 'cannot lose', 'cannot lose'])[f]
    WHEN r = 1 THEN (ARRAY['lost', 'lost', 'at risk', 'cannot lose', 'cannot lose'])[f]
  END AS segment,
  is_guest
FROM scored`;
