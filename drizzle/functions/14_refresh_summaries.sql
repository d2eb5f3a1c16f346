-- The sums, and all that is to be said of one: its table in core, the column that is its key besides the shop, by which ops.stale_sums marks
-- its rows too, and the view in core that counts what is marked. For each there is a view of what is stored and not marked, and of the rest
-- as that view counts it: those of bi read it, so that they are exact at any time.
CREATE OR REPLACE FUNCTION ops.sums() RETURNS TABLE (stored text, key text, recount text)
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  VALUES
    ('daily_sums', 'day', 'daily_recount'),
    ('status_paths', 'day', 'status_path_recount'),
    ('product_months', 'month', 'product_month_recount'),
    ('customer_sums', 'customer_key', 'customer_recount')
$$;

COMMENT ON FUNCTION ops.sums() IS 'The tables of sums, the key by which their rows are marked as stale, and the view that recounts those.';

-- Of one shop. Sums are computed later than the marks are taken. What is written in between may be in them already; its marks stay all
-- the same. Keys are written out: a Citus takes no rows by their place in the subquery of another statement, and a list of days that came
-- as texts would be read anew for each order.
CREATE OR REPLACE FUNCTION ops.refresh_shop_summaries(shop integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
  taken tid[];
  days date[];
  months date[];
  customers text[];
  sum record;
  is_taken text;
BEGIN
  -- One refresh of a shop at a time, and none while someone changes what counts as a sale. Writers of orders do not wait.
  PERFORM FROM core.order_statuses WHERE shop_id = shop FOR NO KEY UPDATE;
  SELECT array_agg(m.ctid), array_agg(DISTINCT m.day), array_agg(DISTINCT m.month), array_agg(DISTINCT m.customer_key)
  INTO taken, days, months, customers
  FROM (SELECT s.ctid, s.day, s.month, s.customer_key FROM ops.stale_sums s WHERE s.shop_id = shop FOR UPDATE) m;
  FOR sum IN SELECT * FROM ops.sums() LOOP
    is_taken := CASE sum.key
      WHEN 'day' THEN format('day = ANY (%L::date[])', days)
      WHEN 'month' THEN format('month = ANY (%L::date[])', months)
      WHEN 'customer_key' THEN format('customer_key = ANY (%L::text[])', customers)
    END;
    EXECUTE format('DELETE FROM core.%I WHERE shop_id = $1 AND %s', sum.stored, is_taken) USING shop;
    EXECUTE format('INSERT INTO core.%I SELECT * FROM core.%I WHERE shop_id = $1 AND %s', sum.stored, sum.recount, is_taken) USING shop;
  END LOOP;
  DELETE FROM ops.stale_sums s WHERE s.shop_id = shop AND s.ctid = ANY (taken);
  RETURN coalesce(cardinality(taken), 0);
END $$;

CREATE OR REPLACE FUNCTION ops.refresh_summaries() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shop integer;
  shops integer[] := (SELECT array_agg(m.shop_id) FROM (SELECT DISTINCT shop_id FROM ops.stale_sums) m);
  marks bigint := CASE WHEN shops IS NULL THEN 0 END;
BEGIN
  FOREACH shop IN ARRAY coalesce(shops, '{}') LOOP
    BEGIN
      marks := coalesce(marks, 0) + ops.refresh_shop_summaries(shop);
    EXCEPTION WHEN lock_not_available THEN
      CONTINUE;
    END;
  END LOOP;
  RETURN marks;
END $$;

COMMENT ON FUNCTION ops.refresh_summaries() IS 'Recomputes what is marked as stale and removes the marks. Returns their number; NULL if of every shop another refresh, or a change of what counts as a sale, was still running after 5 seconds. It affects only the speed of queries, never the figures.';
