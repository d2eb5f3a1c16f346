CREATE OR REPLACE VIEW bi.changed_orders AS
SELECT
  o.shop_id,
  s.shop_key AS shop,
  o.order_id,
  o.row_changed_at AS changed_at,
  o.deleted_at IS NOT NULL AS is_deleted
FROM core.orders o
JOIN core.shops s ON s.shop_id = o.shop_id;

COMMENT ON VIEW bi.changed_orders IS 'One row per order that ever was, deleted ones included: what a copy of any view of orders, or of parts of them, is kept up to date by. Replace in the copy what belongs to the orders whose changed_at grew.';
COMMENT ON COLUMN bi.changed_orders.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.changed_orders.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.changed_orders.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.changed_orders.changed_at IS 'When anything that the views show of the order last changed, see bi.orders. Grows from one change of a shop to the next.';
COMMENT ON COLUMN bi.changed_orders.is_deleted IS 'True if the shop has deleted the order.';

SELECT ops.grant_to_reader('bi.changed_orders');
