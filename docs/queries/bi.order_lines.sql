-- What discounts on lines cost, per month and currency.
SELECT
  date_trunc('month', order_date)::date AS month,
  currency,
  sum(line_total) AS revenue,
  sum(line_discount) AS discounts,
  round(100 * sum(line_discount) / nullif(sum(line_total) + sum(line_discount), 0), 1) AS discount_percent
FROM bi.order_lines
WHERE is_sale
GROUP BY month, currency
ORDER BY month, currency;
