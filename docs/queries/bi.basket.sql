-- Pairs of products that are bought together more often than chance would have it.
SELECT product_name, with_product_name, orders_together, round(confidence_percent, 1) AS confidence_percent, lift
FROM bi.basket
WHERE orders_together >= 2 AND lift > 1
ORDER BY orders_together DESC, lift DESC, product_name
LIMIT 20;
