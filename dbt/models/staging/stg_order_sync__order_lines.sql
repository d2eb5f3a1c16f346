SELECT
  l.shop_id || '-' || l.order_id || '-' || l.line_no AS line_key,
  l.shop_id || '-' || l.order_id AS order_key,
  l.*,
  NOT u.line_days @> l.order_date AS is_verified
FROM {{ source('order_sync', 'order_lines') }} AS l
JOIN {{ source('order_sync', 'unverified_days') }} AS u ON u.shop_id = l.shop_id
