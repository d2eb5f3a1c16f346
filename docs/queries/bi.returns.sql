-- Returned orders per month, their value, and what was paid for them and not refunded.
SELECT date_trunc('month', order_date)::date AS month, currency, count(*) AS orders, sum(order_sum) AS returned,
  sum(paid_amount) AS still_held
FROM bi.returns
GROUP BY month, currency
ORDER BY month, currency;
