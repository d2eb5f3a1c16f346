-- The recounts recompute what is marked as stale. OFFSET 0 makes PostgreSQL look up each marked day or customer separately:
-- the planner cannot know how many are marked, and a few must not cost a scan of all orders.
CREATE OR REPLACE VIEW core.stale_orders AS
SELECT s.shop_id, s.day, o.order_id, o.status_code, upper(o.currency) AS currency, o.customer_key, o.order_sum, o.paid_amount, o.units,
  o.lines_total, o.list_total, o.delivery_price, ops.order_discount(o.discount_raw, o.discount_percent, o.list_total) AS order_discount
FROM (SELECT DISTINCT shop_id, day FROM ops.stale_sums WHERE day IS NOT NULL) s
CROSS JOIN LATERAL (
  -- No column that bi does not show: on a Citus, readers may read whatever its views name.
  SELECT order_id, status_code, currency, customer_key, order_sum, paid_amount, units, lines_total, list_total, delivery_price, discount_raw, discount_percent
  FROM core.orders WHERE shop_id = s.shop_id AND created_on = s.day AND deleted_at IS NULL OFFSET 0
) o
UNION ALL
-- Orders without a day cannot be marked by day: they are recomputed each time.
SELECT shop_id, NULL::date, order_id, status_code, upper(currency), customer_key, order_sum, paid_amount, units,
  lines_total, list_total, delivery_price, ops.order_discount(discount_raw, discount_percent, list_total)
FROM core.orders WHERE created_on IS NULL AND deleted_at IS NULL;
