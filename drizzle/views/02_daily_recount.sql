CREATE OR REPLACE VIEW core.daily_recount AS
SELECT
  o.shop_id, o.day, o.currency,
  count(*) FILTER (WHERE t.is_sale) AS orders,
  sum(o.order_sum) FILTER (WHERE t.is_sale) AS revenue,
  count(o.order_sum) FILTER (WHERE t.is_sale) AS priced_orders,
  sum(o.paid_amount) FILTER (WHERE t.is_sale) AS paid,
  sum(o.units) FILTER (WHERE t.is_sale) AS items,
  count(DISTINCT o.customer_key) FILTER (WHERE t.is_sale) AS customers,
  count(*) FILTER (WHERE t.stage = 'cancelled') AS cancelled_orders,
  count(*) FILTER (WHERE t.stage = 'returned') AS returned_orders,
  count(*) FILTER (WHERE t.stage = 'draft') AS draft_orders,
  count(*) FILTER (WHERE NOT t.is_sale AND t.stage NOT IN ('cancelled', 'returned', 'draft')) AS other_orders,
  sum(o.lines_total) FILTER (WHERE t.is_sale) AS goods,
  sum(o.list_total - o.lines_total) FILTER (WHERE t.is_sale) AS line_discount,
  sum(o.order_discount) FILTER (WHERE t.is_sale) AS order_discount,
  sum(o.delivery_price) FILTER (WHERE t.is_sale) AS delivery,
  sum(o.order_sum) FILTER (WHERE t.stage = 'cancelled') AS cancelled,
  sum(o.order_sum) FILTER (WHERE t.stage = 'returned') AS returned
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
COMMENT ON COLUMN core.daily_recount.items IS 'Sum of the units of sales. NULL: of no sale they are known.';
COMMENT ON COLUMN core.daily_recount.customers IS 'Number of distinct customers of the sales.';
COMMENT ON COLUMN core.daily_recount.cancelled_orders IS 'Orders whose stage is cancelled.';
COMMENT ON COLUMN core.daily_recount.returned_orders IS 'Orders whose stage is returned.';
COMMENT ON COLUMN core.daily_recount.draft_orders IS 'Orders whose stage is draft.';
COMMENT ON COLUMN core.daily_recount.other_orders IS 'Other orders that are not sales.';
COMMENT ON COLUMN core.daily_recount.goods IS 'Sum of the line totals of sales. NULL: no sale has them.';
COMMENT ON COLUMN core.daily_recount.line_discount IS 'Sum of the discounts on the lines of sales. NULL: of no sale they are known.';
COMMENT ON COLUMN core.daily_recount.order_discount IS 'Sum of the discounts on sales as a whole. NULL: of no sale they are known.';
COMMENT ON COLUMN core.daily_recount.delivery IS 'Sum of the delivery prices of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_recount.cancelled IS 'Sum of order_sum of orders whose stage is cancelled. NULL: none has one.';
COMMENT ON COLUMN core.daily_recount.returned IS 'Sum of order_sum of orders whose stage is returned. NULL: none has one.';
