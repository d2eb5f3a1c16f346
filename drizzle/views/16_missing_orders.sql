-- The one list of orders that may be gone: whatever says that a day is not verified, or due, because of them reads it.
CREATE OR REPLACE VIEW core.missing_orders AS
SELECT shop_id, order_id, created_on AS day, missing_since + interval '5 minutes' AS confirmed_at
FROM core.orders
WHERE missing_since IS NOT NULL AND deleted_at IS NULL;

COMMENT ON VIEW core.missing_orders IS 'Orders that the shop no longer lists and whose deletion is not confirmed yet: they count in bi until then.';
COMMENT ON COLUMN core.missing_orders.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.missing_orders.order_id IS 'The shop''s order number.';
COMMENT ON COLUMN core.missing_orders.day IS 'Day on which the order was placed. NULL: no readable date.';
COMMENT ON COLUMN core.missing_orders.confirmed_at IS 'From then on the next sweep looks for it once more, and confirms that it is deleted.';
