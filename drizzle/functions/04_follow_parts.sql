-- What changes in lines, persons or history changes their order: its changed_at moves, unless its row was just written. An order of a
-- shop that is being deleted goes itself.
CREATE OR REPLACE FUNCTION ops.stamp_orders(shops integer[], orders bigint[]) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
  UPDATE core.orders o SET changed_at = w.at
  FROM (
    -- The time is taken for what was written alone, before any row of another shop is looked at: it locks the shop.
    SELECT shop_id, order_id, ops.change_time(shop_id) AS at
    FROM (SELECT DISTINCT shop_id, order_id FROM unnest(shops, orders) AS w(shop_id, order_id)) d
  ) w
  WHERE o.shop_id = w.shop_id AND o.order_id = w.order_id AND o.changed_at < w.at
    AND (SELECT s.deletion_started_at FROM core.shops s WHERE s.shop_id = o.shop_id) IS NULL;
END $$;

-- Marks the days of orders, and the months if the products are others. One transaction may write a line or a state while another moves
-- the order to a different day. So the order is locked until the transaction ends, and the day marked is the one that the order then
-- has. Days of orders that this transaction added are marked already.
CREATE OR REPLACE FUNCTION ops.mark_days_of(shops integer[], orders bigint[], products boolean) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
  WITH held AS MATERIALIZED (
    SELECT o.shop_id, o.created_on
    FROM (
      SELECT shop_id, order_id, ops.change_time(shop_id) AS at
      FROM (SELECT DISTINCT shop_id, order_id FROM unnest(shops, orders) AS w(shop_id, order_id)) d
    ) w
    JOIN core.orders o USING (shop_id, order_id)
    WHERE o.stored_at IS DISTINCT FROM w.at
    FOR SHARE OF o
  )
  INSERT INTO ops.stale_sums (shop_id, day, month)
  SELECT DISTINCT shop_id, created_on, CASE WHEN products THEN date_trunc('month', created_on::timestamp) END FROM held
  WHERE created_on IS NOT NULL;
END $$;

-- In the sums of an order's day are of its lines the product and its article number, of its person the source that the buyer entered, and of
-- its history what was before: the order itself has the current state.
CREATE OR REPLACE FUNCTION ops.follow_parts() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- A state that follows the order itself is no change of its own.
  IF TG_TABLE_NAME <> 'order_history' OR TG_OP = 'UPDATE' AND pg_trigger_depth() = 1 THEN
    PERFORM ops.stamp_orders(array_agg(shop_id), array_agg(order_id)) FROM written;
  END IF;
  CASE TG_TABLE_NAME || ' ' || TG_OP
    WHEN 'order_lines UPDATE' THEN
      PERFORM ops.mark_days_of(array_agg(shop_id), array_agg(order_id), true)
      FROM old_rows o FULL JOIN written n USING (shop_id, order_id, line_no)
      WHERE (o.product_oid, o.sku) IS DISTINCT FROM (n.product_oid, n.sku);
    WHEN 'order_lines INSERT', 'order_lines DELETE' THEN
      PERFORM ops.mark_days_of(array_agg(shop_id), array_agg(order_id), true) FROM written;
    WHEN 'order_persons UPDATE' THEN
      PERFORM ops.mark_days_of(array_agg(shop_id), array_agg(order_id), false)
      FROM old_rows o FULL JOIN written n USING (shop_id, order_id)
      WHERE o.fields #>> '{source,value}' IS DISTINCT FROM n.fields #>> '{source,value}';
    WHEN 'order_persons INSERT', 'order_persons DELETE' THEN
      PERFORM ops.mark_days_of(array_agg(shop_id), array_agg(order_id), false) FROM written
      WHERE fields #>> '{source,value}' IS NOT NULL;
    WHEN 'order_history UPDATE' THEN
      PERFORM ops.mark_days_of(array_agg(shop_id), array_agg(order_id), false)
      FROM old_rows o FULL JOIN written n USING (shop_id, order_id, seq)
      WHERE CASE WHEN o.observed_until IS NOT NULL THEN o.status_code END
        IS DISTINCT FROM CASE WHEN n.observed_until IS NOT NULL THEN n.status_code END;
    ELSE
      PERFORM ops.mark_days_of(array_agg(shop_id), array_agg(order_id), false) FROM written WHERE observed_until IS NOT NULL;
  END CASE;
  RETURN NULL;
END $$;
