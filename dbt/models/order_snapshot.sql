{#
  A table that is kept up to date from what changed: deletions, returns and changes of old orders included. Only columns
  that changed_at covers are here; what other rows decide, such as names of statuses, is joined when it is read.
#}
{{ config(
    materialized='incremental',
    unique_key=['shop_id', 'order_id'],
    incremental_strategy='delete+insert',
    on_schema_change='fail'
) }}

SELECT
  o.shop_id, o.order_id, o.order_date, o.created_at, o.updated_at, o.status_code, o.pay_status_code, o.currency,
  o.order_sum, o.paid_amount, o.delivery_price, o.item_count, o.customer_key, o.is_guest, o.lines_total, o.delivered_at,
  o.is_deleted, o.deleted_at, o.first_seen_at, o.changed_at
FROM {{ source('order_sync', 'orders') }} AS o
{% if is_incremental() %}
-- changed_at grows within a shop, but not over shops.
LEFT JOIN (SELECT shop_id, max(changed_at) AS changed_at FROM {{ this }} GROUP BY shop_id) AS held USING (shop_id)
WHERE held.changed_at IS NULL OR o.changed_at > held.changed_at
{% endif %}
