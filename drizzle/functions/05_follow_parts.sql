-- What changes in lines, persons or history changes their order: its changed_at moves, unless its row was just written. An order of a
-- shop that is being deleted goes itself. In the sums of an order's day are of its lines the product and its article number, of its person
-- the source that the buyer entered, and of its history what was before: the order itself has the current state.
--
-- One transaction may write a line or a state while another moves the order to a different day. So the order is locked until the
-- transaction ends, and the day marked is the one that the order then has. Days of orders that this transaction added are marked already.
--
-- The time is taken for what was written alone, before any row of another shop is looked at: it locks the shop. A state that follows the
-- order itself is no change of its own.
SELECT ops.define_follower('follow_' || part || '_' || event, format($sql$
  WITH changed AS MATERIALIZED (
    SELECT c.*, ops.change_time(shop_id) AS at FROM (%s GROUP BY shop_id, order_id) c WHERE is_other_sum OR %s
  ), locked AS MATERIALIZED (
    SELECT o.shop_id, o.order_id, o.created_on, c.is_other_sum, c.at FROM changed c JOIN core.orders o USING (shop_id, order_id)
    WHERE o.stored_at IS DISTINCT FROM c.at FOR NO KEY UPDATE OF o
  ), stamped AS (
    UPDATE core.orders o SET changed_at = l.at FROM locked l
    WHERE %2$s AND o.shop_id = l.shop_id AND o.order_id = l.order_id AND o.changed_at < l.at
      AND (SELECT s.deletion_started_at FROM core.shops s WHERE s.shop_id = o.shop_id) IS NULL
  )
  INSERT INTO ops.stale_sums (shop_id, day, month) SELECT DISTINCT shop_id, created_on, %s FROM locked WHERE is_other_sum AND created_on IS NOT NULL $sql$,
  format(CASE event
    WHEN 'update' THEN 'SELECT shop_id, order_id, bool_or(o.summed IS DISTINCT FROM n.summed) AS is_other_sum
      FROM (SELECT shop_id, order_id, %1$s AS part, %2$s AS summed FROM old_rows) o
      FULL JOIN (SELECT shop_id, order_id, %1$s AS part, %2$s AS summed FROM written) n USING (shop_id, order_id, part)'
    ELSE 'SELECT shop_id, order_id, bool_or(%2$s IS NOT NULL) AS is_other_sum FROM written'
  END, key, summed),
  CASE WHEN part <> 'history' THEN 'true' WHEN event = 'update' THEN 'pg_trigger_depth() = 1' ELSE 'false' END,
  CASE part WHEN 'lines' THEN 'date_trunc(''month'', created_on::timestamp)' ELSE 'NULL::date' END))
FROM (VALUES
  ('lines', 'line_no', 'ROW(product_oid, sku)::text'),
  ('persons', 'order_id', 'fields #>> ''{source,value}'''),
  ('history', 'seq', 'CASE WHEN observed_until IS NOT NULL THEN status_code END')) AS p(part, key, summed)
CROSS JOIN (VALUES ('insert'), ('update'), ('delete')) AS e(event);
