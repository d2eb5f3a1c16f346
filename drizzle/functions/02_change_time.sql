-- The time with which a transaction marks the orders of a shop that it changes, in core.orders.changed_at: the same one at each call.
-- Whoever has read all rows of a shop up to one such time misses nothing by asking for later ones: the lock makes transactions that
-- change a shop's orders commit in the order of their times. Its first key is a number apart from other advisory locks.
CREATE OR REPLACE FUNCTION ops.change_time(shop integer) RETURNS timestamptz
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  -- The shop, and seconds: a text of a time means another one where it is written in the form of another session.
  known text := current_setting('order_sync.change_time', true);
  at timestamptz;
BEGIN
  IF starts_with(known, shop || ' ') THEN
    RETURN to_timestamp(split_part(known, ' ', 2)::float8);
  END IF;
  PERFORM pg_advisory_xact_lock(728301, shop);
  at := clock_timestamp();
  PERFORM set_config('order_sync.change_time', shop || ' ' || extract(epoch FROM at), true);
  RETURN at;
END $$;
