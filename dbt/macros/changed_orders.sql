{#
  The orders to replace in an incremental model: those whose changed_at is later than the latest one that the model holds of the
  same shop; all of them where it holds none. changed_at grows within a shop, but not over shops.
#}
{% macro changed_orders() %}
SELECT c.shop_id, c.order_id, c.changed_at
FROM {{ source('order_sync', 'orders') }} AS c
{% if is_incremental() %}
LEFT JOIN (SELECT shop_id, max(changed_at) AS changed_at FROM {{ this }} GROUP BY shop_id) AS held ON held.shop_id = c.shop_id
WHERE held.changed_at IS NULL OR c.changed_at > held.changed_at
{% endif %}
{% endmacro %}

{# For a post-hook: `order-sync shops delete` removes the rows of a shop without a trace. #}
{% macro drop_deleted_shops() %}
{% if is_incremental() %}
DELETE FROM {{ this }} WHERE shop_id NOT IN (SELECT shop_id FROM {{ source('order_sync', 'shops') }})
{% endif %}
{% endmacro %}
