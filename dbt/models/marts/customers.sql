SELECT
  c.*,
  r.recency_days,
  r.rfm_score,
  r.segment,
  date_trunc('month', CASE WHEN c.history_from IS NULL THEN c.first_order_date END)::date AS cohort_month
FROM {{ source('order_sync', 'customers') }} AS c
JOIN {{ source('order_sync', 'customer_rfm') }} AS r USING (shop_id, customer_key)
