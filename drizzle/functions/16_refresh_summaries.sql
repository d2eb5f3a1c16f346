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

DROP FUNCTION IF EXISTS ops.refresh_summaries();

-- A sum is counted later than the marks are taken. What is written in between may be in it already; its marks stay all the same.
CREATE FUNCTION ops.refresh_summaries() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
  taken tid[];
  sum record;
BEGIN
  -- One refresh at a time, and none while someone changes what counts as a sale. Writers of orders do not wait.
  BEGIN
    LOCK TABLE ops.stale_sums IN SHARE UPDATE EXCLUSIVE MODE;
  EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
  END;
  taken := ARRAY(SELECT ctid FROM ops.stale_sums);
  FOR sum IN SELECT * FROM ops.sums() LOOP
    -- One statement has one snapshot, so it removes what it counts anew. Counting the removed rows forces it to remove them first.
    EXECUTE format('
      WITH recounted AS MATERIALIZED (SELECT * FROM core.%3$I WHERE %2$I IS NOT NULL), removed AS (
        DELETE FROM core.%1$I s USING (SELECT DISTINCT shop_id, %2$I FROM ops.stale_sums) m
        WHERE s.shop_id = m.shop_id AND s.%2$I = m.%2$I RETURNING 1
      )
      INSERT INTO core.%1$I SELECT r.* FROM (SELECT count(*) FROM removed) o, recounted r', sum.stored, sum.key, sum.recount);
  END LOOP;
  DELETE FROM ops.stale_sums WHERE ctid = ANY (taken);
  RETURN cardinality(taken);
END $$;

COMMENT ON FUNCTION ops.refresh_summaries() IS 'Recomputes what is marked as stale and removes the marks. Returns their number; NULL if another refresh, or a change of what counts as a sale, was still running after 5 seconds. It affects only the speed of queries, never the figures.';
