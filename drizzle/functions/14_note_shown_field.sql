-- Notes that a field is shown or hidden: all orders that have it look different.
CREATE OR REPLACE FUNCTION ops.note_shown_field() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ops.view_changes (shop_id, kind, key)
  VALUES (coalesce(NEW.shop_id, OLD.shop_id), 'field', coalesce(NEW.field_key, OLD.field_key));
  RETURN NULL;
END $$;
