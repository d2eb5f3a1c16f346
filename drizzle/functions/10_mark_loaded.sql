-- Marks what new orders count towards, once for a whole load. One call, so that a Citus can replace it: there, triggers on the
-- shards do it.
CREATE OR REPLACE FUNCTION ops.mark_loaded(shop integer, orders json) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  WITH given AS MATERIALIZED (
    SELECT order_id, created_on, customer_key
    FROM json_to_recordset(orders) AS o(order_id bigint, created_on date, customer_key text)
  ), held AS MATERIALIZED (
    SELECT o.created_on, o.customer_key FROM core.orders o JOIN given USING (order_id)
    WHERE o.shop_id = shop ORDER BY order_id FOR NO KEY UPDATE OF o
  ), touched AS MATERIALIZED (
    SELECT created_on, customer_key FROM held UNION SELECT created_on, customer_key FROM given
  ), days AS (
    INSERT INTO ops.stale_days (shop_id, day) SELECT DISTINCT shop, created_on FROM touched WHERE created_on IS NOT NULL
  )
  INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop, customer_key FROM touched;
  PERFORM set_config('order_sync.marks', 'made', true);
END $$;

COMMENT ON FUNCTION ops.mark_loaded(integer, json) IS 'Marks the days and customers of orders that are about to be loaded as stale, as they were and as they will be, and spares the triggers the work until the transaction ends. For transactions that write nothing but these orders with their lines and history.';
