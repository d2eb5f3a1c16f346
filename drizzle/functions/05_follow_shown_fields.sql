-- A field that is shown or hidden makes all orders that have it look different. What buyers entered as the source is in sums, too: the lock keeps
-- a refresh from storing them by the old word before this commits.
CREATE OR REPLACE FUNCTION ops.follow_shown_fields() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP <> 'UPDATE' OR OLD.is_shown <> NEW.is_shown THEN
    INSERT INTO ops.view_changes (shop_id, kind, key)
    VALUES (coalesce(NEW.shop_id, OLD.shop_id), 'field', coalesce(NEW.field_key, OLD.field_key));
  END IF;
  IF OLD IS DISTINCT FROM NEW AND 'source' IN (coalesce(OLD.field_key, ''), coalesce(NEW.field_key, '')) THEN
    LOCK TABLE ops.stale_sums IN SHARE UPDATE EXCLUSIVE MODE;
    INSERT INTO ops.stale_sums (shop_id, day)
    SELECT DISTINCT o.shop_id, o.created_on FROM core.orders o
    WHERE o.shop_id = coalesce(NEW.shop_id, OLD.shop_id) AND o.created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
