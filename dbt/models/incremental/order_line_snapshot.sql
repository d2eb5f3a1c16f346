{#
  An order without lines has one row whose line_no is NULL, so that lines that were removed are replaced too.
#}
SELECT
  c.shop_id, c.order_id, l.line_no, l.line_oid, l.product_oid, l.spec_hash, l.code, l.product_name, l.sku, l.quantity,
  l.unit_price, l.line_total, l.list_price, l.list_total, l.line_discount, c.changed_at
FROM ({{ changed_orders() }}) AS c
LEFT JOIN {{ source('order_sync', 'order_lines') }} AS l ON l.shop_id = c.shop_id AND l.order_id = c.order_id
