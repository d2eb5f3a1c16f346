-- The ten products with the most revenue in the last 30 days, in each shop and currency. Products without a number are identified by name.
SELECT shop, currency, rank, product, quantity, revenue
FROM (
  SELECT
    shop,
    currency,
    max(product_name) AS product,
    sum(quantity) AS quantity,
    sum(revenue) AS revenue,
    rank() OVER (PARTITION BY shop, currency ORDER BY sum(revenue) DESC) AS rank
  FROM bi.product_sales
  WHERE order_date > (SELECT max(order_date) FROM bi.product_sales) - 30
  GROUP BY shop, currency, product_oid, CASE WHEN product_oid IS NULL THEN product_name END
) ranked
WHERE rank <= 10
ORDER BY shop, currency, rank, product;
