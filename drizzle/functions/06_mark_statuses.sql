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
  LOCK TABLE ops.stale_sums IN SHARE UPDATE EXCLUSIVE MODE;
  INSERT INTO ops.stale_sums (shop_id, day, month, customer_key)
  SELECT DISTINCT s.shop_id, s.created_on, date_trunc('month', s.created_on::timestamp)::date, s.customer_key
  FROM old_rows o
  JOIN new_rows n USING (shop_id, status_code)
  JOIN core.orders s USING (shop_id, status_code)
  WHERE (o.is_sale, o.stage) IS DISTINCT FROM (n.is_sale, n.stage);
  RETURN NULL;
END $$;
