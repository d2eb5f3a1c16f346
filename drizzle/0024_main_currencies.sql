-- Works with order-sync 0.1.0 and later.
-- Of several currencies with as many sales, the main one is that of the latest sale, not of the latest day.
INSERT INTO ops.stale_customers (shop_id, customer_key)
SELECT shop_id, customer_key FROM core.customer_sums WHERE is_main AND currencies > 1;
