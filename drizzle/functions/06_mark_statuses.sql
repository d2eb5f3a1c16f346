-- Analysts decide what counts as a sale. The lock keeps a refresh from storing sums by the old rule before this commits;
-- orders that are loaded in the meantime set their own marks. With an older snapshot, orders that arrived in the meantime
-- would stay unmarked.
CREATE OR REPLACE FUNCTION ops.mark_statuses() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM old_rows o JOIN new_rows n USING (shop_id, status_code)
    WHERE (o.is_sale, o.stage) IS DISTINCT FROM (n.is_sale, n.stage)
  ) THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'what a sale is cannot be changed in a % transaction', current_setting('transaction_isolation')
      USING HINT = 'Use READ COMMITTED: an older snapshot does not show every order that this concerns.',
        ERRCODE = 'feature_not_supported';
  END IF;
  LOCK TABLE ops.stale_days IN SHARE UPDATE EXCLUSIVE MODE;
  WITH changed AS MATERIALIZED (
    SELECT DISTINCT s.shop_id, s.created_on, s.customer_key
    FROM old_rows o
    JOIN new_rows n USING (shop_id, status_code)
    JOIN core.orders s USING (shop_id, status_code)
    WHERE (o.is_sale, o.stage) IS DISTINCT FROM (n.is_sale, n.stage)
  ), days AS (
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM changed WHERE created_on IS NOT NULL
  )
  INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM changed;
  RETURN NULL;
END $$;
