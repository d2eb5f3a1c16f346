-- Analysts decide what counts as a sale: what a status meant until then is kept, and sums and orders follow. The rows of the statuses
-- are locked, which keeps a refresh from storing sums by the old rule before this commits; orders that are loaded in the meantime set their own
-- marks. With an older snapshot, orders that arrived in the meantime would stay unmarked.
CREATE OR REPLACE FUNCTION ops.assert_present_snapshot() RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'what a sale is cannot be changed in a % transaction', current_setting('transaction_isolation')
      USING HINT = 'Use READ COMMITTED: an older snapshot does not show every order that this concerns.',
        ERRCODE = 'feature_not_supported';
  END IF;
  RETURN true;
END $$;

SELECT ops.define_follower('follow_statuses_update', $sql$
    WITH changed AS MATERIALIZED (
      SELECT shop_id, status_code, o.stage, o.is_sale, (o.is_sale, o.stage) <> (n.is_sale, n.stage) AS is_other, o.is_sale <> n.is_sale AS is_other_sale,
        (o.stage, o.is_sale, o.name, o.name_local, o.shown_code)
          IS DISTINCT FROM (n.stage, n.is_sale, n.name, n.name_local, n.shown_code) AS is_shown_otherwise
      FROM old_rows o JOIN written n USING (shop_id, status_code)
    ), marks AS (
      INSERT INTO ops.stale_sums (shop_id, day, month, customer_key)
      SELECT DISTINCT o.shop_id, o.created_on, date_trunc('month', o.created_on::timestamp)::date, o.customer_key
      FROM changed c JOIN core.orders o USING (shop_id, status_code)
      WHERE CASE WHEN c.is_other THEN ops.assert_present_snapshot() END
    ), versions AS (
      INSERT INTO core.status_versions (shop_id, status_code, valid_until, valid_from, stage, is_sale)
      SELECT c.shop_id, c.status_code, clock_timestamp(),
        coalesce((SELECT max(v.valid_until) FROM core.status_versions v WHERE v.shop_id = c.shop_id AND v.status_code = c.status_code), '-infinity'),
        c.stage, c.is_sale
      FROM changed c WHERE c.is_other
    )
    INSERT INTO ops.view_changes (shop_id, kind, key)
    SELECT shop_id, 'status', status_code FROM changed WHERE is_shown_otherwise
    UNION ALL SELECT shop_id, 'sale', status_code FROM changed WHERE is_other_sale $sql$);
