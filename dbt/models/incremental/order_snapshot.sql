{#
  A copy of bi.orders, all columns, that is kept up to date from what changed: deletions, returns, changes of old orders and of what a
  status means included.
#}
SELECT o.*
FROM {{ source('order_sync', 'orders') }} AS o
JOIN ({{ changed_orders() }}) AS c ON c.shop_id = o.shop_id AND c.order_id = o.order_id
