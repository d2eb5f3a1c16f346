-- A customer is compared with those whose main currency is the same. A fifth begins with its cut, so that equal customers share the better
-- score. With fewer than five customers there are no fifths, and no scores. Numbers of sales are those of returning customers only: most
-- customers buy once, so among all of them anyone who bought twice would be in the top fifths.
CREATE OR REPLACE VIEW bi.customer_rfm AS
WITH cuts AS (
  SELECT
    shop_id, currency,
    -- The first customer after a fifth of them, not the last one of it: for as many as a hundred million, a billionth more is that one.
    percentile_disc('{0.200000001, 0.400000001, 0.600000001, 0.800000001}'::double precision[])
      WITHIN GROUP (ORDER BY coalesce(all_last_day, '-infinity')) AS days,
    coalesce(percentile_disc('{0.200000001, 0.400000001, 0.600000001, 0.800000001}'::double precision[])
      WITHIN GROUP (ORDER BY all_orders) FILTER (WHERE all_orders > 1), '{NULL, NULL, NULL, NULL}') AS orders,
    percentile_disc('{0.200000001, 0.400000001, 0.600000001, 0.800000001}'::double precision[])
      WITHIN GROUP (ORDER BY coalesce(revenue, 0))::numeric(16, 2)[] AS revenues
  FROM core.customer_totals
  WHERE is_main
  GROUP BY shop_id, currency
  HAVING count(*) >= 5
), scored AS (
  SELECT
    c.*,
    (now() AT TIME ZONE s.timezone)::date - c.last_order_date AS recency_days,
    -- NULL without cuts. A customer who bought once, or at an unknown time, gets 1, however many others did too.
    CASE WHEN c.last_order_date IS NOT NULL OR x.days IS NULL
      THEN 1 + (c.last_order_date >= x.days[1])::int + (c.last_order_date >= x.days[2])::int
        + (c.last_order_date >= x.days[3])::int + (c.last_order_date >= x.days[4])::int
      ELSE 1
    END::smallint AS recency_score,
    CASE WHEN c.all_orders > 1 OR x.orders IS NULL
      THEN 1 + (c.all_orders >= x.orders[1])::int + (c.all_orders >= x.orders[2])::int
        + (c.all_orders >= x.orders[3])::int + (c.all_orders >= x.orders[4])::int
      ELSE 1
    END::smallint AS frequency_score,
    (1 + (c.lifetime_revenue >= x.revenues[1])::int + (c.lifetime_revenue >= x.revenues[2])::int
      + (c.lifetime_revenue >= x.revenues[3])::int + (c.lifetime_revenue >= x.revenues[4])::int)::smallint AS monetary_score
  FROM bi.customers c
  JOIN core.shops s ON s.shop_id = c.shop_id
  LEFT JOIN cuts x ON x.shop_id = c.shop_id AND x.currency IS NOT DISTINCT FROM c.currency
)
SELECT
  shop_id,
  shop,
  customer_key,
  currency,
  last_order_date,
  recency_days,
  all_orders,
  lifetime_revenue,
  recency_score,
  frequency_score,
  monetary_score,
  CASE WHEN monetary_score IS NOT NULL THEN concat(recency_score, frequency_score, monetary_score) END AS rfm_score,
  CASE
    WHEN monetary_score IS NULL THEN NULL
    WHEN recency_score >= 4 AND frequency_score >= 4 THEN 'champions'
    WHEN recency_score >= 3 AND frequency_score >= 3 THEN 'loyal'
    WHEN recency_score >= 4 AND all_orders = 1 THEN CASE WHEN history_from IS NULL THEN 'new' END
    WHEN recency_score >= 4 THEN 'promising'
    WHEN recency_score = 3 THEN 'needs attention'
    WHEN frequency_score >= 4 THEN 'cannot lose'
    WHEN frequency_score = 3 THEN 'at risk'
    WHEN recency_score = 2 THEN 'hibernating'
    ELSE 'lost'
  END AS segment,
  is_guest,
  orders,
  history_from
FROM scored;

COMMENT ON VIEW bi.customer_rfm IS 'One row per shop and customer with at least one sale, the same as in bi.customers: how recently, how often and for how much the customer bought, each scored from 1 to 5 against the shop''s customers with the same main currency. A score says in which fifth a customer is; equal customers get the same score, the best one among them. With fewer than five such customers there are no scores.';
COMMENT ON COLUMN bi.customer_rfm.customer_key IS 'Pseudonym of the buyer, as in bi.orders; a guest without contact counts as a new customer with every order.';
COMMENT ON COLUMN bi.customer_rfm.currency IS 'The customer''s main currency, and that of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.customer_rfm.recency_days IS 'How many days ago that was, in the shop''s time zone. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customer_rfm.orders IS 'Number of sales in the main currency, as lifetime_revenue.';
COMMENT ON COLUMN bi.customer_rfm.recency_score IS 'From 1 for customers who bought longest ago, or at an unknown time, to 5 for the most recent. NULL: fewer than five customers with the currency.';
COMMENT ON COLUMN bi.customer_rfm.frequency_score IS 'From 1 for the least to 5 for the most frequent buyers among customers with more than one sale; customers with one sale get 1. NULL: fewer than five customers with the currency.';
COMMENT ON COLUMN bi.customer_rfm.monetary_score IS 'From 1 for the least revenue to 5 for the most. NULL: fewer than five customers with the currency.';
COMMENT ON COLUMN bi.customer_rfm.rfm_score IS 'The three scores in this order as text, such as 543. NULL: fewer than five customers with the currency.';
COMMENT ON COLUMN bi.customer_rfm.segment IS 'By recency and frequency score: champions (both 4 or more), loyal (both 3 or more), new (recency 4 or more, one sale), promising (recency 4 or more), needs attention (recency 3); and of the less recent: cannot lose (frequency 4 or more), at risk (frequency 3), hibernating (recency 2), lost. NULL: fewer than five customers with the currency, or new as far as the history is loaded.';
COMMENT ON COLUMN bi.customer_rfm.is_guest IS 'True if none of these sales has a registered buyer.';
COMMENT ON COLUMN bi.customer_rfm.all_orders IS 'Number of sales in all currencies, by which frequency_score is.';
