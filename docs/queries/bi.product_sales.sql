-- The ten products with the most revenue in the last 30 days, in each currency.
SELECT currency, rank, product, quantity, revenue
FROM (
  SELECT
    currency,
    product_oid,
    max(product_name) AS product,
    sum(quantity) AS quantity,
    sum(revenue) AS revenue,
    rank() OVER (PARTITION BY currency ORDER BY sum(revenue) DESC) AS rank
  FROM bi.product_sales
  WHERE order_date > (SELECT max(order_date) FROM bi.product_sales) - 30
  GROUP BY shop_id, currency, product_oid
) ranked
WHERE rank <= 10
ORDER BY currency, rank, product;
