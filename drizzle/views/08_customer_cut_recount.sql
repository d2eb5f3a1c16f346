-- A customer is compared with those whose main currency is the same. A fifth begins with its cut, so that equal customers share the better score. With fewer than five customers there are no
-- fifths: a currency without a row here has no scores. Numbers of sales are those of returning customers only. Most customers
-- buy once, so among all customers anyone who bought twice would be in the top fifths.
CREATE OR REPLACE VIEW core.customer_cut_recount AS
SELECT m.shop_id, c.currency, c.days, c.orders, c.revenues
FROM (SELECT DISTINCT shop_id FROM ops.stale_customers) m
CROSS JOIN LATERAL (
  SELECT
    currency,
    -- The first customer after a fifth of them, not the last one of it: for as many as a hundred million, a billionth more is that one.
    percentile_disc('{0.200000001, 0.400000001, 0.600000001, 0.800000001}'::double precision[])
      WITHIN GROUP (ORDER BY coalesce(all_last_day, '-infinity')) AS days,
    coalesce(percentile_disc('{0.200000001, 0.400000001, 0.600000001, 0.800000001}'::double precision[])
      WITHIN GROUP (ORDER BY all_orders) FILTER (WHERE all_orders > 1), '{NULL, NULL, NULL, NULL}') AS orders,
    percentile_disc('{0.200000001, 0.400000001, 0.600000001, 0.800000001}'::double precision[])
      WITHIN GROUP (ORDER BY coalesce(revenue, 0)::numeric(16, 2))::numeric(16, 2)[] AS revenues
  FROM core.customer_totals
  WHERE shop_id = m.shop_id AND is_main
  GROUP BY currency
  HAVING count(*) >= 5
  OFFSET 0
) c;

COMMENT ON VIEW core.customer_cut_recount IS 'Rows of core.customer_cuts for the shops with a customer marked as stale, recomputed.';
COMMENT ON COLUMN core.customer_cut_recount.shop_id IS 'Shop of the customers.';
COMMENT ON COLUMN core.customer_cut_recount.currency IS 'Currency of their sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_cut_recount.days IS 'The four dates of the latest sale at which a fifth begins.';
COMMENT ON COLUMN core.customer_cut_recount.orders IS 'The four numbers of sales at which a fifth begins, among customers with more than one sale; NULL if there are none.';
COMMENT ON COLUMN core.customer_cut_recount.revenues IS 'The four sums of sales at which a fifth begins.';
