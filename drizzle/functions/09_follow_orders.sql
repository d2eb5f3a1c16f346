-- What orders that came or went mean for sums, for later sales of their customers and for the history. For those that changed see
-- follow_order_changes and follow_states.
--
-- A sale that comes, goes or moves changes the place of the customer's later sales, and which is the first. New orders are mostly the
-- latest: nothing is noted for them. Of a new order, what was before is unknown.
SELECT ops.define_follower('follow_orders_' || event, VARIADIC ARRAY[$sql$
  WITH marks AS (
    INSERT INTO ops.stale_sums (shop_id, day, month, customer_key)
    SELECT DISTINCT shop_id, created_on, date_trunc('month', created_on::timestamp)::date, customer_key FROM written
  )
  INSERT INTO ops.view_changes (shop_id, kind, key, since)
  SELECT c.shop_id, 'customer', c.customer_key, c.created_at FROM written c
  WHERE c.deleted_at IS NULL AND c.created_at IS NOT NULL
    AND (SELECT t.is_sale FROM core.order_statuses t WHERE t.shop_id = c.shop_id AND t.status_code = c.status_code)
    AND (
      SELECT true FROM core.orders e
      WHERE e.shop_id = c.shop_id AND e.customer_key = c.customer_key AND e.created_at >= c.created_at AND e.order_id <> c.order_id LIMIT 1) $sql$] || CASE event WHEN 'insert' THEN ARRAY[$sql$
  INSERT INTO core.order_history (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount, source_updated_at,
    observed_at, is_initial)
  SELECT shop_id, order_id, 1, status_code, pay_status_code, order_sum, paid_amount, updated_at, first_seen_at, true FROM written $sql$] ELSE '{}' END)
FROM (VALUES ('insert'), ('delete')) AS e(event);
