SELECT
  o.shop_id || '-' || o.order_id AS order_key,
  o.*,
  NOT u.days @> o.order_date AS is_verified
FROM {{ source('order_sync', 'orders') }} AS o
JOIN {{ source('order_sync', 'unverified_days') }} AS u ON u.shop_id = o.shop_id
