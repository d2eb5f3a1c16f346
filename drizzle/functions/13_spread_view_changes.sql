-- Replaces what is noted of a shop by the orders that show it. Of a customer, the sales from the first change on: one may have all orders
-- of a counter, whose places beyond the 1000th are not shown, but for as many as changed.
--
-- Keys go as arrays, since a join with a few rows of unknown number, in a shop that was loaded after the last ANALYZE, was planned
-- as a loop over all pairs of orders.
DROP FUNCTION IF EXISTS ops.spread_view_changes(integer);
CREATE FUNCTION ops.spread_view_changes(shop integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  noted record;
BEGIN
  FOR noted IN
    WITH gone AS (
      DELETE FROM ops.view_changes v WHERE v.shop_id = shop AND v.kind <> 'order' RETURNING v.kind, v.key, v.since
    ), counted AS (
      SELECT kind, key, min(since) AS since, count(*) AS changes FROM gone GROUP BY kind, key
    )
    SELECT kind, array_agg(key) AS keys, array_agg(since) AS times, array_agg(changes) AS changes FROM counted GROUP BY kind
  LOOP
    EXECUTE format('INSERT INTO ops.view_changes (shop_id, kind, key) SELECT DISTINCT $1, ''order'', order_id::text FROM (%s) touched',
      CASE noted.kind
        WHEN 'status' THEN 'SELECT order_id FROM core.orders WHERE shop_id = $1 AND status_code = ANY ($2)
          UNION ALL SELECT order_id FROM core.order_history WHERE shop_id = $1 AND status_code = ANY ($2)'
        WHEN 'payment' THEN 'SELECT order_id FROM core.orders WHERE shop_id = $1 AND pay_status_code = ANY ($2)
          UNION ALL SELECT order_id FROM core.order_history WHERE shop_id = $1 AND pay_status_code = ANY ($2)'
        WHEN 'sale' THEN 'SELECT order_id FROM core.orders WHERE shop_id = $1 AND customer_key = ANY (ARRAY(
          SELECT DISTINCT s.customer_key FROM core.orders s WHERE s.shop_id = $1 AND s.status_code = ANY ($2)))'
        WHEN 'field' THEN 'SELECT order_id FROM core.order_persons WHERE shop_id = $1 AND fields ?| $2'
        WHEN 'buyer' THEN 'SELECT order_id FROM core.orders WHERE shop_id = $1 AND buyer_oid = ANY ($2::bigint[])'
        WHEN 'group' THEN 'SELECT order_id FROM core.orders WHERE shop_id = $1 AND buyer_oid = ANY (ARRAY(
          SELECT u.user_oid FROM core.users u WHERE u.shop_id = $1 AND u.group_oid = ANY ($2::bigint[])))'
        WHEN 'customer' THEN 'SELECT s.order_id FROM unnest($2, $3, $4) c (key, since, changes)
          CROSS JOIN LATERAL (
            SELECT o.order_id, o.created_at FROM core.orders o JOIN core.order_statuses t USING (shop_id, status_code)
            WHERE o.shop_id = $1 AND o.customer_key = c.key AND o.deleted_at IS NULL AND o.created_at IS NOT NULL AND t.is_sale
            ORDER BY o.created_at, o.order_id LIMIT 1000 + c.changes
          ) s
          WHERE s.created_at >= c.since'
        ELSE 'SELECT order_id FROM core.orders WHERE shop_id = $1'
      END)
    USING shop, noted.keys, noted.times, noted.changes;
  END LOOP;
END $$;

COMMENT ON FUNCTION ops.spread_view_changes(integer) IS 'Replaces what is noted in ops.view_changes of a shop by the orders that show it.';
