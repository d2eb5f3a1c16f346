-- Replaces what is noted of a shop by the orders that show it. Of a customer, the sales from the first change on: one may have all orders
-- of a counter, whose places beyond the 1000th are not shown, but for as many as changed.
--
-- Keys go into arrays, since a join with a few rows of unknown number, in a shop that was loaded after the last ANALYZE, was planned
-- as a loop over all pairs of orders. A kind of which nothing is noted costs nothing.
CREATE OR REPLACE FUNCTION ops.spread_view_changes(shop integer) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  WITH noted AS MATERIALIZED (
    DELETE FROM ops.view_changes v WHERE v.shop_id = shop AND v.kind <> 'order' RETURNING v.kind, v.key, v.since
  ), keys AS MATERIALIZED (
    SELECT
      array_agg(DISTINCT key) FILTER (WHERE kind = 'status') AS statuses,
      array_agg(DISTINCT key) FILTER (WHERE kind = 'sale') AS sales,
      array_agg(DISTINCT key) FILTER (WHERE kind = 'payment') AS payments,
      array_agg(DISTINCT key) FILTER (WHERE kind = 'field') AS fields,
      array_agg(DISTINCT CASE WHEN kind = 'buyer' THEN key::bigint END) FILTER (WHERE kind = 'buyer') AS buyers,
      array_agg(DISTINCT CASE WHEN kind = 'group' THEN key::bigint END) FILTER (WHERE kind = 'group') AS groups,
      bool_or(kind = 'shop') AS is_shop
    FROM noted
  ), customers AS MATERIALIZED (
    SELECT key, min(since) AS since, count(*) AS changes FROM noted WHERE kind = 'customer' GROUP BY key
  ), touched AS (
    SELECT o.order_id FROM core.orders o
    WHERE (SELECT statuses FROM keys) IS NOT NULL AND o.shop_id = shop AND o.status_code = ANY ((SELECT statuses FROM keys)::text[])
    UNION
    SELECT h.order_id FROM core.order_history h
    WHERE (SELECT statuses FROM keys) IS NOT NULL AND h.shop_id = shop AND h.status_code = ANY ((SELECT statuses FROM keys)::text[])
    UNION
    SELECT o.order_id FROM core.orders o
    WHERE (SELECT sales FROM keys) IS NOT NULL AND o.shop_id = shop AND o.customer_key = ANY (ARRAY(
      SELECT DISTINCT s.customer_key FROM core.orders s
      WHERE (SELECT sales FROM keys) IS NOT NULL AND s.shop_id = shop AND s.status_code = ANY ((SELECT sales FROM keys)::text[])))
    UNION
    SELECT o.order_id FROM core.orders o
    WHERE (SELECT payments FROM keys) IS NOT NULL AND o.shop_id = shop AND o.pay_status_code = ANY ((SELECT payments FROM keys)::text[])
    UNION
    SELECT h.order_id FROM core.order_history h
    WHERE (SELECT payments FROM keys) IS NOT NULL AND h.shop_id = shop AND h.pay_status_code = ANY ((SELECT payments FROM keys)::text[])
    UNION
    SELECT p.order_id FROM core.order_persons p
    WHERE (SELECT fields FROM keys) IS NOT NULL AND p.shop_id = shop AND p.fields ?| (SELECT fields FROM keys)
    UNION
    SELECT o.order_id FROM core.orders o
    WHERE (SELECT buyers FROM keys) IS NOT NULL AND o.shop_id = shop AND o.buyer_oid = ANY ((SELECT buyers FROM keys)::bigint[])
    UNION
    SELECT o.order_id FROM core.orders o
    WHERE (SELECT groups FROM keys) IS NOT NULL AND o.shop_id = shop AND o.buyer_oid = ANY (ARRAY(
      SELECT u.user_oid FROM core.users u
      WHERE (SELECT groups FROM keys) IS NOT NULL AND u.shop_id = shop AND u.group_oid = ANY ((SELECT groups FROM keys)::bigint[])))
    UNION
    SELECT o.order_id FROM core.orders o WHERE (SELECT is_shop FROM keys) AND o.shop_id = shop
    UNION
    SELECT s.order_id FROM customers c
    CROSS JOIN LATERAL (
      SELECT o.order_id, o.created_at FROM core.orders o JOIN core.order_statuses t USING (shop_id, status_code)
      WHERE o.shop_id = shop AND o.customer_key = c.key AND o.deleted_at IS NULL AND o.created_at IS NOT NULL AND t.is_sale
      ORDER BY o.created_at, o.order_id LIMIT 1000 + c.changes
    ) s
    WHERE s.created_at >= c.since
  )
  INSERT INTO ops.view_changes (shop_id, kind, key) SELECT shop, 'order', order_id FROM touched
$$;

COMMENT ON FUNCTION ops.spread_view_changes(integer) IS 'Replaces what is noted in ops.view_changes of a shop by the orders that show it.';
