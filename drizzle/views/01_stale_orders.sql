-- The recounts recompute what is marked as stale. OFFSET 0 makes PostgreSQL look up each marked day or customer separately:
-- the planner cannot know how many are marked, and a few must not cost a scan of all orders.
CREATE OR REPLACE VIEW core.stale_orders AS
SELECT s.shop_id, s.day, o.order_id, o.status_code, upper(o.currency) AS currency, o.customer_key, o.order_sum, o.paid_amount, o.units,
  o.lines_total, o.list_total, o.delivery_price, ops.order_discount(o.discount_raw, o.discount_percent, o.list_total) AS order_discount
FROM (SELECT DISTINCT shop_id, day FROM ops.stale_days) s
CROSS JOIN LATERAL (
  SELECT * FROM core.orders WHERE shop_id = s.shop_id AND created_on = s.day AND deleted_at IS NULL OFFSET 0
) o
UNION ALL
-- Orders without a day cannot be marked by day: they are recomputed each time.
SELECT shop_id, NULL::date, order_id, status_code, upper(currency), customer_key, order_sum, paid_amount, units,
  lines_total, list_total, delivery_price, ops.order_discount(discount_raw, discount_percent, list_total)
FROM core.orders WHERE created_on IS NULL AND deleted_at IS NULL;

COMMENT ON VIEW core.stale_orders IS 'Orders of the days marked in ops.stale_days, and orders without a day.';
COMMENT ON COLUMN core.stale_orders.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.stale_orders.day IS 'Day on which the order was placed. NULL: no readable date.';
COMMENT ON COLUMN core.stale_orders.order_id IS 'The shop''s order number.';
COMMENT ON COLUMN core.stale_orders.status_code IS 'Current status of the order.';
COMMENT ON COLUMN core.stale_orders.currency IS 'Currency of the order. NULL: not sent.';
COMMENT ON COLUMN core.stale_orders.customer_key IS 'Customer, as in core.orders.';
COMMENT ON COLUMN core.stale_orders.order_sum IS 'Order total. NULL: not sent or not readable.';
COMMENT ON COLUMN core.stale_orders.paid_amount IS 'Amount paid so far. NULL: not sent or not readable.';
COMMENT ON COLUMN core.stale_orders.units IS 'Sum of the quantities of its lines. NULL: none are loaded, or a line has none.';
COMMENT ON COLUMN core.stale_orders.lines_total IS 'Sum of its lines after discount. NULL: not known.';
COMMENT ON COLUMN core.stale_orders.list_total IS 'Sum of its lines before discount. NULL: not known.';
COMMENT ON COLUMN core.stale_orders.delivery_price IS 'Price of delivery. NULL: not sent or not readable.';
COMMENT ON COLUMN core.stale_orders.order_discount IS 'Discount on the whole order. NULL: not known.';
