-- A customer is compared with those whose main currency is the same. A fifth begins with its cut, so that equal customers share the better score. With fewer than five customers there are no
-- fifths: a currency without a row here has no scores. Numbers of sales are those of returning customers only. Most customers
-- buy once, so among all customers anyone who bought twice would be in the top fifths.
CREATE OR REPLACE VIEW core.customer_cut_recount AS
SELECT m.shop_id, c.currency, c.days, c.orders, c.revenues
FROM (SELECT DISTINCT shop_id FROM ops.stale_customers) m
CROSS JOIN LATERAL (
  SELECT
    s.currency,
    ARRAY[s.days[f.at[1]], s.days[f.at[2]], s.days[f.at[3]], s.days[f.at[4]]] AS days,
    ARRAY[s.orders[f.back[1]], s.orders[f.back[2]], s.orders[f.back[3]], s.orders[f.back[4]]] AS orders,
    ARRAY[s.revenues[f.at[1]], s.revenues[f.at[2]], s.revenues[f.at[3]], s.revenues[f.at[4]]]::numeric(16, 2)[] AS revenues
  FROM (
    SELECT
      currency,
      count(*)::integer AS peers,
      (count(*) FILTER (WHERE all_orders > 1))::integer AS returned,
      array_agg(coalesce(all_last_day, '-infinity') ORDER BY coalesce(all_last_day, '-infinity')) AS days,
      array_agg(all_orders ORDER BY all_orders) FILTER (WHERE all_orders > 1) AS orders,
      array_agg(coalesce(revenue, 0)::numeric(16, 2) ORDER BY coalesce(revenue, 0)::numeric(16, 2)) AS revenues
    FROM core.customer_totals
    WHERE shop_id = m.shop_id AND is_main
    GROUP BY currency
    HAVING count(*) >= 5
  ) s
  -- The position of the first customer of each fifth except the lowest.
  CROSS JOIN LATERAL (
    SELECT
      ARRAY[1 + s.peers / 5, 1 + 2 * s.peers / 5, 1 + 3 * s.peers / 5, 1 + 4 * s.peers / 5] AS at,
      ARRAY[1 + s.returned / 5, 1 + 2 * s.returned / 5, 1 + 3 * s.returned / 5, 1 + 4 * s.returned / 5] AS back
  ) f
  OFFSET 0
) c;

COMMENT ON VIEW core.customer_cut_recount IS 'Rows of core.customer_cuts for the shops with a customer marked as stale, recomputed.';
COMMENT ON COLUMN core.customer_cut_recount.shop_id IS 'Shop of the customers.';
COMMENT ON COLUMN core.customer_cut_recount.currency IS 'Currency of their sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_cut_recount.days IS 'The four dates of the latest sale at which a fifth begins.';
COMMENT ON COLUMN core.customer_cut_recount.orders IS 'The four numbers of sales at which a fifth begins, among customers with more than one sale; NULL if there are none.';
COMMENT ON COLUMN core.customer_cut_recount.revenues IS 'The four sums of sales at which a fifth begins.';
