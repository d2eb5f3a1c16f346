-- Moves changed_at of an order with all that its row shows, whoever writes it. A new order's is given, but on a Citus.
CREATE OR REPLACE FUNCTION ops.stamp_order() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  was record := OLD;
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.changed_at := ops.change_time(NEW.shop_id);
    RETURN NEW;
  END IF;
  was.fingerprint := NEW.fingerprint;
  was.lines_fetched_at := NEW.lines_fetched_at;
  was.lines_attempts := NEW.lines_attempts;
  was.observed_at := NEW.observed_at;
  was.views := NEW.views;
  was.stored_at := NEW.stored_at;
  IF NEW IS DISTINCT FROM was THEN
    NEW.changed_at := ops.change_time(NEW.shop_id);
  END IF;
  RETURN NEW;
END $$;
