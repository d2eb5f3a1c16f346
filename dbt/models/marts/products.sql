SELECT p.*, s.currency, s.sales, s.quantity, s.revenue, s.line_discount
FROM {{ source('order_sync', 'products') }} AS p
LEFT JOIN (
  SELECT
    l.shop_id,
    l.product_oid,
    o.currency,
    -- An order counts once, whatever variants of the product it has.
    count(DISTINCT l.order_id) AS sales,
    sum(l.quantity) AS quantity,
    sum(l.line_total) AS revenue,
    sum(l.line_discount) AS line_discount
  FROM {{ ref('order_line_snapshot') }} AS l
  JOIN {{ ref('order_snapshot') }} AS o USING (shop_id, order_id)
  JOIN {{ source('order_sync', 'statuses') }} AS t USING (shop_id, status_code)
  WHERE t.is_sale AND NOT o.is_deleted AND l.product_oid IS NOT NULL
  GROUP BY 1, 2, 3
) AS s USING (shop_id, product_oid)
