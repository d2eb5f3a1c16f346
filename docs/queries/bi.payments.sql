-- How much of each month's sales is paid.
SELECT date_trunc('month', order_date)::date AS month, currency, payment_state, count(*) AS orders,
  sum(paid_amount) AS paid_amount, sum(outstanding) AS outstanding, sum(refunded_amount) AS refunded_amount
FROM bi.payments
WHERE is_sale
GROUP BY month, currency, payment_state
ORDER BY month, currency, payment_state;
