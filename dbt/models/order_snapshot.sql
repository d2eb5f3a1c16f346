{#
  A copy of bi.orders, all columns, that is kept up to date from what changed: deletions, returns, changes of old orders and of what a
  status means included.
#}
{{ config(
    materialized='incremental',
    unique_key=['shop_id', 'order_id'],
    incremental_strategy='delete+insert',
    on_schema_change='fail'
) }}

SELECT o.*
FROM {{ source('order_sync', 'orders') }} AS o
{% if is_incremental() %}
-- changed_at grows within a shop, but not over shops.
LEFT JOIN (SELECT shop_id, max(changed_at) AS changed_at FROM {{ this }} GROUP BY shop_id) AS held USING (shop_id)
WHERE held.changed_at IS NULL OR o.changed_at > held.changed_at
{% endif %}
