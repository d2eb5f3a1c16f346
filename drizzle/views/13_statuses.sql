CREATE OR REPLACE VIEW bi.statuses AS
SELECT
  t.shop_id,
  s.shop_key AS shop,
  t.status_code,
  coalesce(t.name_local, t.name) AS status,
  t.name AS english_name,
  t.stage,
  t.stage_order,
  t.is_sale,
  t.is_final,
  t.is_documented
FROM core.order_statuses t
JOIN core.shops s ON s.shop_id = t.shop_id;

COMMENT ON VIEW bi.statuses IS 'One row per shop and order status: its name, its stage, and whether its orders are sales. It shows core.order_statuses, the one table in which you decide that; edit that table as the owner.';
COMMENT ON COLUMN bi.statuses.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.statuses.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.statuses.status_code IS 'Code as the shop sends it; empty text is the shop''s "no status".';
COMMENT ON COLUMN bi.statuses.status IS 'Name of the status: the name that you entered, otherwise English.';
COMMENT ON COLUMN bi.statuses.english_name IS 'English name; for a code of the shop''s own, the code.';
COMMENT ON COLUMN bi.statuses.stage IS 'Stage: draft, open, fulfilment, delivered, cancelled, returned, other, or unknown for a code that nobody has classified yet.';
COMMENT ON COLUMN bi.statuses.stage_order IS 'For sorting: position in the usual course of an order. NULL: not part of it.';
COMMENT ON COLUMN bi.statuses.is_sale IS 'True if orders in this status count as revenue.';
COMMENT ON COLUMN bi.statuses.is_final IS 'True if orders in this status hardly ever change again.';
COMMENT ON COLUMN bi.statuses.is_documented IS 'True if the status is in the platform''s documentation.';

SELECT ops.grant_to_reader('bi.statuses');
