-- Rows of core.daily_sums for the days marked as stale, recomputed.
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
