CREATE OR REPLACE VIEW core.daily_recount AS
SELECT
  o.shop_id, o.day, o.currency,
  count(*) FILTER (WHERE t.is_sale) AS orders,
  sum(o.order_sum) FILTER (WHERE t.is_sale) AS revenue,
  count(o.order_sum) FILTER (WHERE t.is_sale) AS priced_orders,
  sum(o.paid_amount) FILTER (WHERE t.is_sale) AS paid,
  sum(o.item_count) FILTER (WHERE t.is_sale) AS items,
  count(DISTINCT o.customer_key) FILTER (WHERE t.is_sale) AS customers,
  count(*) FILTER (WHERE t.stage = 'cancelled') AS cancelled_orders,
  count(*) FILTER (WHERE t.stage = 'returned') AS returned_orders,
  count(*) FILTER (WHERE t.stage = 'draft') AS draft_orders,
  count(*) FILTER (WHERE NOT t.is_sale AND t.stage NOT IN ('cancelled', 'returned', 'draft')) AS other_orders
FROM core.stale_orders o
JOIN core.order_statuses t USING (shop_id, status_code)
GROUP BY o.shop_id, o.day, o.currency;

COMMENT ON VIEW core.daily_recount IS 'Rows of core.daily_sums for the days marked as stale, recomputed.';
COMMENT ON COLUMN core.daily_recount.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.daily_recount.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.daily_recount.currency IS 'Currency of the orders. NULL: not sent.';
COMMENT ON COLUMN core.daily_recount.orders IS 'Orders that are sales.';
COMMENT ON COLUMN core.daily_recount.revenue IS 'Sum of order_sum of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_recount.priced_orders IS 'Sales that have an order_sum.';
COMMENT ON COLUMN core.daily_recount.paid IS 'Sum of paid_amount of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_recount.items IS 'Sum of item_count of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_recount.customers IS 'Number of distinct customers of the sales.';
COMMENT ON COLUMN core.daily_recount.cancelled_orders IS 'Orders whose stage is cancelled.';
COMMENT ON COLUMN core.daily_recount.returned_orders IS 'Orders whose stage is returned.';
COMMENT ON COLUMN core.daily_recount.draft_orders IS 'Orders whose stage is draft.';
COMMENT ON COLUMN core.daily_recount.other_orders IS 'Other orders that are not sales.';
