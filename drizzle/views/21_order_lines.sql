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
COMMENT ON COLUMN bi.order_lines.line_no IS 'Position of the line in its order, from 1.';
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
