-- One statement means one snapshot: a mark that another transaction adds in the meantime stays.
CREATE OR REPLACE FUNCTION ops.refresh_summaries(OUT days bigint, OUT customers bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  -- One refresh at a time, and none while someone changes what counts as a sale. Writers of orders do not wait.
  BEGIN
    LOCK TABLE ops.stale_days IN SHARE UPDATE EXCLUSIVE MODE;
  EXCEPTION WHEN lock_not_available THEN
    RETURN;
  END;
  WITH new_days AS MATERIALIZED (SELECT * FROM core.daily_recount WHERE day IS NOT NULL),
  new_paths AS MATERIALIZED (SELECT * FROM core.status_path_recount WHERE day IS NOT NULL),
  new_products AS MATERIALIZED (SELECT * FROM core.product_month_recount WHERE month IS NOT NULL),
  new_customers AS MATERIALIZED (SELECT * FROM core.customer_recount),
  new_cuts AS MATERIALIZED (SELECT * FROM core.customer_cut_recount),
  old_days AS (
    DELETE FROM core.daily_sums d USING (SELECT DISTINCT shop_id, day FROM ops.stale_days) s
    WHERE s.shop_id = d.shop_id AND s.day = d.day RETURNING 1
  ),
  old_paths AS (
    DELETE FROM core.status_paths p USING (SELECT DISTINCT shop_id, day FROM ops.stale_days) s
    WHERE s.shop_id = p.shop_id AND s.day = p.day RETURNING 1
  ),
  old_products AS (
    DELETE FROM core.product_months p
    USING (SELECT DISTINCT shop_id, date_trunc('month', day::timestamp)::date AS month FROM ops.stale_days WHERE with_products) s
    WHERE s.shop_id = p.shop_id AND s.month = p.month RETURNING 1
  ),
  old_customers AS (
    DELETE FROM core.customer_sums c USING (SELECT DISTINCT shop_id, customer_key FROM ops.stale_customers) s
    WHERE s.shop_id = c.shop_id AND s.customer_key = c.customer_key RETURNING 1
  ),
  old_cuts AS (
    DELETE FROM core.customer_cuts c USING (SELECT DISTINCT shop_id FROM ops.stale_customers) s
    WHERE s.shop_id = c.shop_id RETURNING 1
  ),
  -- Counting the deleted rows forces the deletion to run first.
  put_days AS (INSERT INTO core.daily_sums SELECT n.* FROM (SELECT count(*) FROM old_days) o, new_days n),
  put_paths AS (INSERT INTO core.status_paths SELECT n.* FROM (SELECT count(*) FROM old_paths) o, new_paths n),
  put_products AS (INSERT INTO core.product_months SELECT n.* FROM (SELECT count(*) FROM old_products) o, new_products n),
  put_customers AS (INSERT INTO core.customer_sums SELECT n.* FROM (SELECT count(*) FROM old_customers) o, new_customers n),
  put_cuts AS (INSERT INTO core.customer_cuts SELECT n.* FROM (SELECT count(*) FROM old_cuts) o, new_cuts n),
  marked_days AS (DELETE FROM ops.stale_days RETURNING shop_id, day),
  marked_customers AS (DELETE FROM ops.stale_customers RETURNING shop_id, customer_key)
  SELECT (SELECT count(*) FROM (SELECT DISTINCT shop_id, day FROM marked_days) d),
    (SELECT count(*) FROM (SELECT DISTINCT shop_id, customer_key FROM marked_customers) c)
  INTO days, customers;
END $$;

COMMENT ON FUNCTION ops.refresh_summaries() IS 'Recomputes what is marked as stale and removes the marks. Returns the number of days and customers; NULL if another refresh, or a change of what counts as a sale, was still running after 5 seconds. It affects only the speed of queries, never the figures.';
