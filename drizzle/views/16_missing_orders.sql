-- The one list of orders that may be gone: whatever says that a day is not verified, or due, because of them reads it.
CREATE OR REPLACE VIEW core.missing_orders AS
SELECT shop_id, order_id, created_on AS day, missing_since + interval '5 minutes' AS confirmed_at
FROM core.orders
WHERE missing_since IS NOT NULL AND deleted_at IS NULL;
