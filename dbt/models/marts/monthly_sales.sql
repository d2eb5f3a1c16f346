SELECT s.shop_id, shops.shop, s.order_month, s.currency, s.orders, s.revenue
FROM (
  SELECT
    o.shop_id,
    date_trunc('month', o.order_date)::date AS order_month,
    o.currency,
    count(*) AS orders,
    sum(o.order_sum) AS revenue
  FROM {{ ref('order_snapshot') }} AS o
  JOIN {{ source('order_sync', 'statuses') }} AS t USING (shop_id, status_code)
  WHERE t.is_sale AND NOT o.is_deleted
  GROUP BY 1, 2, 3
) AS s
JOIN {{ source('order_sync', 'shops') }} AS shops USING (shop_id)
