-- What buyers entered as the source of an order is in the sums of its day, as far as the owner shows that field.
CREATE OR REPLACE FUNCTION ops.mark_persons() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (SELECT shop_id, order_id, fields #>> '{source,value}' FROM old_rows),
    becomes AS (SELECT shop_id, order_id, fields #>> '{source,value}' FROM new_rows),
    changed AS ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)),
    held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM changed) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day, with_products)
    SELECT DISTINCT shop_id, created_on, false FROM held WHERE created_on IS NOT NULL;
  ELSE
    WITH held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM written WHERE fields #>> '{source,value}' IS NOT NULL) c
      JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day, with_products)
    SELECT DISTINCT shop_id, created_on, false FROM held WHERE created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
