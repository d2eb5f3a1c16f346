-- The lock keeps a refresh from storing sums by the old word before this commits.
CREATE OR REPLACE FUNCTION ops.mark_shown_source() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF 'source' NOT IN (coalesce(OLD.field_key, ''), coalesce(NEW.field_key, '')) THEN
    RETURN NULL;
  END IF;
  LOCK TABLE ops.stale_days IN SHARE UPDATE EXCLUSIVE MODE;
  INSERT INTO ops.stale_days (shop_id, day, with_products)
  SELECT DISTINCT o.shop_id, o.created_on, false FROM core.orders o
  WHERE o.shop_id = coalesce(NEW.shop_id, OLD.shop_id) AND o.created_on IS NOT NULL;
  RETURN NULL;
END $$;
