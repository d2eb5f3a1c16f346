CREATE OR REPLACE VIEW bi.delivery_times AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  o.order_date,
  o.created_at,
  h.not_before,
  h.observed_at AS delivered_at,
  (extract(epoch FROM h.observed_at - o.created_at) / 86400)::numeric(12, 2) AS days_to_deliver,
  (extract(epoch FROM h.observed_at - h.not_before) / 3600)::numeric(12, 2) AS uncertainty_hours,
  o.delivery_id,
  o.delivery_name,
  o.currency,
  o.status_code,
  o.status,
  o.stage,
  o.is_sale,
  o.changed_at
FROM bi.orders o
JOIN core.order_history h ON h.shop_id = o.shop_id AND h.order_id = o.order_id
JOIN core.order_statuses t ON t.shop_id = h.shop_id AND t.status_code = h.status_code
WHERE NOT o.is_deleted AND t.stage = 'delivered' AND NOT h.is_initial AND NOT EXISTS (
  SELECT FROM core.order_history earlier
  JOIN core.order_statuses its ON its.shop_id = earlier.shop_id AND its.status_code = earlier.status_code
  WHERE earlier.shop_id = h.shop_id AND earlier.order_id = h.order_id AND earlier.seq < h.seq
    AND its.stage = 'delivered'
);

COMMENT ON VIEW bi.delivery_times IS 'One row per order that was seen to become delivered: how long delivery took. Orders that were already delivered when first seen have no row, because the time is unknown; deleted ones have none either. An order that was returned later keeps its row.';
COMMENT ON COLUMN bi.delivery_times.not_before IS 'When the order was last seen before it was delivered.';
COMMENT ON COLUMN bi.delivery_times.delivered_at IS 'When the order was first seen in a status of the stage delivered.';
COMMENT ON COLUMN bi.delivery_times.days_to_deliver IS 'Days of 24 hours from created_at to delivered_at; may be too long by up to uncertainty_hours. NULL: no readable date.';
COMMENT ON COLUMN bi.delivery_times.uncertainty_hours IS 'Hours from not_before to delivered_at: the order was delivered between the two.';
COMMENT ON COLUMN bi.delivery_times.delivery_name IS 'Name of the delivery method. NULL: none, or hidden as in bi.orders.';
COMMENT ON COLUMN bi.delivery_times.currency IS 'Currency of the order. NULL: not sent.';
COMMENT ON COLUMN bi.delivery_times.status_code IS 'Current status code of the order.';
COMMENT ON COLUMN bi.delivery_times.status IS 'Name of the current status.';
COMMENT ON COLUMN bi.delivery_times.stage IS 'Current stage of the order; returned if it came back.';
COMMENT ON COLUMN bi.delivery_times.is_sale IS 'True if the order currently counts as revenue.';
COMMENT ON COLUMN bi.delivery_times.changed_at IS 'When anything of the order last changed here, see bi.orders. To keep a copy up to date, use bi.orders.changed_at: an order that leaves this view has no row here.';
