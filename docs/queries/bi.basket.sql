-- Pairs of products that are bought together more often than by chance. The view has each pair in both directions, because
-- the confidence differs: the share of buyers of one who also bought the other. Here each pair is shown once.
SELECT
  product_name,
  with_product_name,
  orders_together,
  round(confidence_percent, 1) AS of_first_percent,
  round(100.0 * orders_together / with_product_orders, 1) AS of_second_percent,
  lift
FROM bi.basket
WHERE product_oid < with_product_oid AND orders_together >= 2 AND lift > 1
ORDER BY orders_together DESC, lift DESC, product_name, with_product_name
LIMIT 20; -- the first of them; without this line, all
