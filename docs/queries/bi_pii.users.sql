-- E-mail addresses of good customers who stopped buying. Needs the role bi_pii_reader.
SELECT u.email, u.name, r.last_order_date, r.monetary, r.currency
FROM bi_pii.users u
JOIN bi.customer_rfm r USING (shop_id, customer_key)
WHERE r.segment IN ('cannot lose', 'at risk') AND u.email IS NOT NULL
ORDER BY r.monetary DESC
LIMIT 20;
