-- Marks the days and customers of orders that came or went. For orders that changed see follow_order_changes.
CREATE OR REPLACE FUNCTION ops.mark_orders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  WITH days AS (
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM written WHERE created_on IS NOT NULL
  )
  INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM written;
  RETURN NULL;
END $$;
