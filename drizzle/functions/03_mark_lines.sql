-- Lines affect the sums of their order's day, only by their product and its article number. One transaction may write a line or a state while another
-- moves the order to a different day. So the order is locked until the transaction ends, and the day marked is the one that
-- the order then has.
CREATE OR REPLACE FUNCTION ops.mark_lines() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (SELECT shop_id, order_id, product_oid, sku FROM old_rows),
    becomes AS (SELECT shop_id, order_id, product_oid, sku FROM new_rows),
    changed AS ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)),
    held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM changed) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  ELSE
    WITH held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM written) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
