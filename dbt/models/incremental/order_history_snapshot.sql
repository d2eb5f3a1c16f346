{#
  What was observed of each order. An order without history has one row whose seq is NULL, see order_line_snapshot.
#}
SELECT
  c.shop_id, c.order_id, h.seq, h.status_code, h.pay_status_code, h.order_sum, h.paid_amount, h.is_initial, h.not_before,
  h.observed_at, h.observed_until, c.changed_at
FROM ({{ changed_orders() }}) AS c
LEFT JOIN {{ source('order_sync', 'order_history') }} AS h ON h.shop_id = c.shop_id AND h.order_id = c.order_id
