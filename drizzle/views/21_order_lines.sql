CREATE OR REPLACE VIEW bi.order_lines AS
SELECT
  l.shop_id,
  o.shop,
  l.order_id,
  l.line_no,
  o.order_date,
  o.created_at,
  o.status_code,
  o.status,
  o.stage,
  o.is_sale,
  o.is_deleted,
  o.currency,
  o.customer_key,
  o.is_guest,
  l.line_oid,
  l.product_oid,
  l.spec_hash,
  l.code,
  ops.shown_text(l.product_name) AS product_name,
  ops.shown_text(l.sku) AS sku,
  l.quantity,
  l.unit_price,
  l.line_total,
  l.list_price,
  l.list_total,
  -- A list total of 0 cannot have been discounted: the shop sent none.
  (nullif(l.list_total, 0) - l.line_total)::numeric(14, 2) AS line_discount,
  ops.shown_text(l.discount_raw) AS discount_raw,
  l.discount_percent,
  o.changed_at
FROM core.order_lines l
JOIN bi.orders o ON o.shop_id = l.shop_id AND o.order_id = l.order_id;

COMMENT ON VIEW bi.order_lines IS 'One row per order line, with the main columns of the order but none of its amounts, which would count once per line. For sales figures filter on is_sale. Orders whose lines are not loaded yet have no rows here: see lines_state in bi.orders.';
COMMENT ON COLUMN bi.order_lines.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.order_lines.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.order_lines.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.order_lines.line_no IS 'Position of the line in its order, from 1.';
COMMENT ON COLUMN bi.order_lines.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.order_lines.created_at IS 'When the order was placed. NULL: no readable date.';
COMMENT ON COLUMN bi.order_lines.status_code IS 'Status code of the order; empty text: the shop''s "no status", or no readable one.';
COMMENT ON COLUMN bi.order_lines.status IS 'Name of the order''s status: the name that you entered, otherwise English.';
COMMENT ON COLUMN bi.order_lines.stage IS 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other or unknown; deleted if the shop has deleted it.';
COMMENT ON COLUMN bi.order_lines.is_sale IS 'True if the order counts as revenue; deleted ones never do.';
COMMENT ON COLUMN bi.order_lines.is_deleted IS 'True if the shop has deleted the order.';
COMMENT ON COLUMN bi.order_lines.currency IS 'Currency of every amount in the row. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.customer_key IS 'Pseudonym of the buyer, as in bi.orders.';
COMMENT ON COLUMN bi.order_lines.is_guest IS 'True if the order has no registered buyer.';
COMMENT ON COLUMN bi.order_lines.line_oid IS 'The shop''s key of the line: product number, underscore, hash of the chosen options. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.product_oid IS 'The shop''s number of the product. NULL: the line''s key contains none.';
COMMENT ON COLUMN bi.order_lines.spec_hash IS 'Hash of the chosen options (size, colour and the like); distinguishes variants of a product. NULL: none.';
COMMENT ON COLUMN bi.order_lines.code IS 'Code of the line in the shop. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.product_name IS 'Name of the product as written in this order. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.sku IS 'Article number. NULL: the product has none.';
COMMENT ON COLUMN bi.order_lines.quantity IS 'Quantity ordered. NULL: not readable.';
COMMENT ON COLUMN bi.order_lines.unit_price IS 'Price of one unit after discount. NULL: not readable.';
COMMENT ON COLUMN bi.order_lines.line_total IS 'Total of the line after discount. NULL: not readable.';
COMMENT ON COLUMN bi.order_lines.list_price IS 'Price of one unit before discount. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.list_total IS 'Total of the line before discount. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.line_discount IS 'Total before discount minus total after it. NULL: the total before discount is unknown or 0.';
COMMENT ON COLUMN bi.order_lines.discount_raw IS 'Discount on the line as the shop wrote it. NULL: none.';
COMMENT ON COLUMN bi.order_lines.discount_percent IS 'Discount on the line in percent (12.5 is 12.5 %). NULL: none, or not a percentage.';
COMMENT ON COLUMN bi.order_lines.changed_at IS 'When anything of the order last changed here, see bi.orders. A line that was removed has no row here: keep a copy up to date by that view.';
