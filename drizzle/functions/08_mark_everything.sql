-- Also for use after rows were loaded with triggers disabled: what sums there are may be of orders that are gone.
CREATE OR REPLACE FUNCTION ops.mark_everything() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  sum record;
BEGIN
  INSERT INTO ops.stale_sums (shop_id, day, month, customer_key)
  SELECT DISTINCT shop_id, created_on, date_trunc('month', created_on::timestamp)::date, customer_key FROM core.orders;
  FOR sum IN SELECT * FROM ops.sums() LOOP
    EXECUTE format('INSERT INTO ops.stale_sums (shop_id, %2$I) SELECT DISTINCT shop_id, %2$I FROM core.%1$I', sum.stored, sum.key);
  END LOOP;
END $$;

COMMENT ON FUNCTION ops.mark_everything() IS 'Marks all sums as stale: call it after writing orders with triggers disabled.';

CREATE OR REPLACE FUNCTION ops.mark_after_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ops.mark_everything();
  RETURN NULL;
END $$;
