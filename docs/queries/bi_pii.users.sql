-- E-mail addresses of good customers who stopped buying, the twenty with the most revenue in each shop and currency.
-- Needs the role bi_pii_reader.
SELECT shop, currency, rank, email, name, last_order_date, lifetime_revenue
FROM (
  SELECT
    r.shop,
    r.currency,
    rank() OVER (PARTITION BY r.shop, r.currency ORDER BY r.lifetime_revenue DESC) AS rank,
    u.email,
    u.name,
    r.last_order_date,
    r.lifetime_revenue
  FROM bi_pii.users u
  JOIN bi.customer_rfm r USING (shop_id, customer_key)
  WHERE r.segment IN ('cannot lose', 'at risk') AND u.email IS NOT NULL
) ranked
WHERE rank <= 20
ORDER BY shop, currency, rank, email;
