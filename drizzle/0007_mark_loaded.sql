-- Marks what new orders count towards, once for a whole load. One call, so that a Citus can replace it: there, triggers on the
-- shards do it.
CREATE FUNCTION ops.mark_loaded(shop integer, orders json) RETURNS void
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

-- What bi.sync_freshness shows of a shop besides its bookkeeping. A function, because a Citus cannot look up rows on its nodes for
-- each row of a table on its coordinator.
CREATE FUNCTION ops.shop_totals(
  shop integer, OUT due_days bigint, OUT failing_days bigint, OUT orders bigint, OUT orders_missing bigint,
  OUT orders_without_lines bigint
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  SELECT count(*) FILTER (WHERE c.is_due AND c.age_days >= 0), count(*) FILTER (WHERE c.attempts > 0)
  INTO due_days, failing_days FROM bi.completeness c WHERE c.shop_id = shop_totals.shop;
  SELECT coalesce(sum(p.orders), 0) INTO orders FROM core.status_path_totals p WHERE p.shop_id = shop_totals.shop;
  SELECT count(*) INTO orders_missing FROM core.orders o
  WHERE o.shop_id = shop_totals.shop AND o.missing_since IS NOT NULL AND o.deleted_at IS NULL;
  SELECT count(*) INTO orders_without_lines FROM core.orders o
  WHERE o.shop_id = shop_totals.shop AND o.lines_state <> 'ok' AND o.deleted_at IS NULL;
END $$;

COMMENT ON FUNCTION ops.shop_totals(integer) IS 'Counts of one shop, which bi.sync_freshness shows.';
