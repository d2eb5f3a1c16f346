-- What discounts on lines cost, per month and currency.
SELECT
  date_trunc('month', order_date)::date AS month,
  currency,
  sum(line_total) AS revenue,
  sum(discount_amount) AS discounts,
  round(100 * sum(discount_amount) / nullif(sum(line_total) + sum(discount_amount), 0), 1) AS discount_percent
FROM bi.order_lines
WHERE is_sale
GROUP BY month, currency
ORDER BY month, currency;
