-- Orders that the incremental model missed, or of which it holds any column as it was before. Run it right after the model: in between, a
-- sync may change orders.
SELECT o.shop_id, o.order_id
FROM {{ source('order_sync', 'orders') }} AS o
FULL JOIN {{ ref('order_snapshot') }} AS held USING (shop_id, order_id)
WHERE to_jsonb(o) IS DISTINCT FROM to_jsonb(held)
  -- What changed while dbt ran is for the next run.
  AND (o.changed_at IS NULL OR o.changed_at <= (SELECT max(changed_at) FROM {{ ref('order_snapshot') }} AS m WHERE m.shop_id = o.shop_id))
