-- Also for use after rows were loaded with triggers disabled.
CREATE OR REPLACE FUNCTION ops.mark_everything() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO ops.stale_days (shop_id, day)
  SELECT shop_id, day FROM core.daily_sums
  UNION SELECT shop_id, day FROM core.status_paths
  UNION SELECT shop_id, month FROM core.product_months
  UNION SELECT shop_id, created_on FROM core.orders WHERE created_on IS NOT NULL;
  INSERT INTO ops.stale_customers (shop_id, customer_key)
  SELECT shop_id, customer_key FROM core.customer_sums
  UNION SELECT shop_id, customer_key FROM core.orders;
$$;

COMMENT ON FUNCTION ops.mark_everything() IS 'Marks every day and customer as stale: call it after writing orders with triggers disabled.';
