-- The sales of each month as the reports show them now; with another time in place of now(), as they showed them then.
SELECT date_trunc('month', order_date)::date AS month, currency, count(*) AS orders, sum(order_sum) AS revenue
FROM bi.order_versions
WHERE is_sale AND valid_from <= now() AND coalesce(valid_until > now(), true)
GROUP BY month, currency
ORDER BY month, currency;
