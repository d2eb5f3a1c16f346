-- Works with order-sync 0.1.0 and later.
CREATE TABLE "ops"."view_changes" (
	"shop_id" integer NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"since" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE ops.view_changes REPLICA IDENTITY FULL;--> statement-breakpoint

-- What the views show of an order may change without the order: what its status means, which fields are shown, the group of its buyer.
-- Triggers note that in the same transaction; whoever drains the table moves changed_at of the orders afterwards. So no edit waits
-- for a sync, and no order is missed that was being written meanwhile: its transaction has ended before it is looked for.
CREATE FUNCTION ops.note_view_changes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'order_statuses' THEN
      INSERT INTO ops.view_changes (shop_id, kind, key)
      SELECT n.shop_id, 'status', n.status_code FROM old_rows o JOIN new_rows n USING (shop_id, status_code)
      WHERE (o.stage, o.is_sale, o.name, o.name_local, o.shown_code) IS DISTINCT FROM (n.stage, n.is_sale, n.name, n.name_local, n.shown_code)
      UNION ALL
      SELECT n.shop_id, 'sale', n.status_code FROM old_rows o JOIN new_rows n USING (shop_id, status_code)
      WHERE o.is_sale <> n.is_sale;
    WHEN 'payment_statuses' THEN
      INSERT INTO ops.view_changes (shop_id, kind, key)
      SELECT n.shop_id, 'payment', n.pay_status_code FROM old_rows o JOIN new_rows n USING (shop_id, pay_status_code)
      WHERE (o.name, o.name_local, o.shown_code) IS DISTINCT FROM (n.name, n.name_local, n.shown_code);
    WHEN 'users' THEN
      INSERT INTO ops.view_changes (shop_id, kind, key)
      SELECT n.shop_id, 'buyer', n.user_oid FROM old_rows o JOIN new_rows n USING (shop_id, user_oid)
      WHERE o.group_oid IS DISTINCT FROM n.group_oid;
    WHEN 'user_groups' THEN
      INSERT INTO ops.view_changes (shop_id, kind, key)
      SELECT n.shop_id, 'group', n.group_oid FROM old_rows o JOIN new_rows n USING (shop_id, group_oid)
      WHERE o.name IS DISTINCT FROM n.name;
    WHEN 'shops' THEN
      INSERT INTO ops.view_changes (shop_id, kind, key)
      SELECT n.shop_id, 'shop', n.shop_key FROM old_rows o JOIN new_rows n USING (shop_id) WHERE o.shop_key <> n.shop_key;
  END CASE;
  RETURN NULL;
END $$;--> statement-breakpoint

CREATE FUNCTION ops.note_shown_field() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ops.view_changes (shop_id, kind, key)
  VALUES (coalesce(NEW.shop_id, OLD.shop_id), 'field', coalesce(NEW.field_key, OLD.field_key));
  RETURN NULL;
END $$;--> statement-breakpoint

CREATE FUNCTION ops.note_new_group() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ops.view_changes (shop_id, kind, key) SELECT shop_id, 'group', group_oid FROM written WHERE name IS NOT NULL;
  RETURN NULL;
END $$;--> statement-breakpoint

-- A sale that comes, goes or moves changes the place of the customer's later sales, and which is the first. New orders are mostly the
-- latest: nothing is noted for them.
CREATE FUNCTION ops.note_sales() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (
      SELECT o.shop_id, o.order_id, o.customer_key, o.created_at FROM old_rows o JOIN core.order_statuses t USING (shop_id, status_code)
      WHERE t.is_sale AND o.deleted_at IS NULL AND o.created_at IS NOT NULL
    ), becomes AS (
      SELECT o.shop_id, o.order_id, o.customer_key, o.created_at FROM new_rows o JOIN core.order_statuses t USING (shop_id, status_code)
      WHERE t.is_sale AND o.deleted_at IS NULL AND o.created_at IS NOT NULL
    ), changed AS ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was))
    INSERT INTO ops.view_changes (shop_id, kind, key, since)
    SELECT c.shop_id, 'customer', c.customer_key, c.created_at FROM changed c
    WHERE EXISTS (
      SELECT FROM core.orders e WHERE e.shop_id = c.shop_id AND e.customer_key = c.customer_key
        AND e.created_at >= c.created_at AND e.order_id <> c.order_id);
  ELSE
    INSERT INTO ops.view_changes (shop_id, kind, key, since)
    SELECT c.shop_id, 'customer', c.customer_key, c.created_at FROM written c JOIN core.order_statuses t USING (shop_id, status_code)
    WHERE t.is_sale AND c.deleted_at IS NULL AND c.created_at IS NOT NULL AND EXISTS (
      SELECT FROM core.orders e WHERE e.shop_id = c.shop_id AND e.customer_key = c.customer_key
        AND e.created_at >= c.created_at AND e.order_id <> c.order_id);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint

-- Replaces what is noted of a shop by the orders that show it. Of a customer, the sales from the first change on: one may have all orders
-- of a counter, whose places beyond the 1000th are not shown, but for as many as changed.
CREATE FUNCTION ops.spread_view_changes(shop integer) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  WITH noted AS MATERIALIZED (
    DELETE FROM ops.view_changes v WHERE v.shop_id = shop AND v.kind <> 'order' RETURNING v.kind, v.key, v.since
  ), numbers AS MATERIALIZED (
    SELECT kind, key::bigint AS number FROM noted WHERE kind IN ('buyer', 'group')
  ), customers AS MATERIALIZED (
    SELECT key, min(since) AS since, count(*) AS changes FROM noted WHERE kind = 'customer' GROUP BY key
  ), touched AS (
    SELECT o.order_id FROM core.orders o
    WHERE o.shop_id = shop AND o.status_code IN (SELECT key FROM noted WHERE kind = 'status')
    UNION
    SELECT h.order_id FROM core.order_history h
    WHERE h.shop_id = shop AND h.status_code IN (SELECT key FROM noted WHERE kind = 'status')
    UNION
    SELECT o.order_id FROM core.orders o
    WHERE o.shop_id = shop AND o.customer_key IN (
      SELECT s.customer_key FROM core.orders s
      WHERE s.shop_id = shop AND s.status_code IN (SELECT key FROM noted WHERE kind = 'sale'))
    UNION
    SELECT o.order_id FROM core.orders o
    WHERE o.shop_id = shop AND o.pay_status_code IN (SELECT key FROM noted WHERE kind = 'payment')
    UNION
    SELECT h.order_id FROM core.order_history h
    WHERE h.shop_id = shop AND h.pay_status_code IN (SELECT key FROM noted WHERE kind = 'payment')
    UNION
    SELECT p.order_id FROM noted n JOIN core.order_persons p ON p.shop_id = shop AND p.fields ? n.key WHERE n.kind = 'field'
    UNION
    SELECT o.order_id FROM core.orders o
    WHERE o.shop_id = shop AND o.buyer_oid IN (SELECT number FROM numbers WHERE kind = 'buyer')
    UNION
    SELECT o.order_id FROM core.orders o
    WHERE o.shop_id = shop AND o.buyer_oid IN (
      SELECT u.user_oid FROM core.users u
      WHERE u.shop_id = shop AND u.group_oid IN (SELECT number FROM numbers WHERE kind = 'group'))
    UNION
    SELECT o.order_id FROM core.orders o WHERE o.shop_id = shop AND EXISTS (SELECT FROM noted WHERE kind = 'shop')
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
$$;--> statement-breakpoint

-- A Citus has no triggers on tables that are spread over its nodes.
DO $$
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    RETURN;
  END IF;
  CREATE TRIGGER notes_changed AFTER UPDATE ON core.order_statuses
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.note_view_changes();
  CREATE TRIGGER notes_changed AFTER UPDATE ON core.payment_statuses
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.note_view_changes();
  CREATE TRIGGER notes_changed AFTER UPDATE ON core.users
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.note_view_changes();
  CREATE TRIGGER notes_changed AFTER UPDATE ON core.user_groups
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.note_view_changes();
  CREATE TRIGGER notes_changed AFTER UPDATE ON core.shops
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.note_view_changes();
  CREATE TRIGGER notes_added AFTER INSERT ON core.user_groups
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ops.note_new_group();
  CREATE TRIGGER notes_added AFTER INSERT OR DELETE ON core.order_form_fields FOR EACH ROW
  WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.note_shown_field();
  CREATE TRIGGER notes_changed AFTER UPDATE ON core.order_form_fields FOR EACH ROW
  WHEN (OLD.is_shown <> NEW.is_shown) EXECUTE FUNCTION ops.note_shown_field();
  CREATE TRIGGER notes_added AFTER INSERT ON core.orders
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ops.note_sales();
  CREATE TRIGGER notes_changed AFTER UPDATE ON core.orders
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.note_sales();
  CREATE TRIGGER notes_removed AFTER DELETE ON core.orders
  REFERENCING OLD TABLE AS written FOR EACH STATEMENT
  WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.note_sales();
END $$;--> statement-breakpoint

COMMENT ON TABLE ops.view_changes IS 'What changed that orders refer to, one row per change, until changed_at of the orders that show it was moved. Triggers only add rows.';
COMMENT ON COLUMN ops.view_changes.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.view_changes.kind IS 'What changed: a status, whether it is a sale, a payment status, whether a field is shown, the group of a buyer, the name of a group, the key of the shop, or a sale of a customer; or order, for an order whose changed_at is still to be moved.';
COMMENT ON COLUMN ops.view_changes.key IS 'Code, key or number of what changed.';
COMMENT ON COLUMN ops.view_changes.since IS 'When the sale that changed was placed: later sales of the customer have another place. NULL: it is no sale.';
COMMENT ON FUNCTION ops.spread_view_changes(integer) IS 'Replaces what is noted in ops.view_changes of a shop by the orders that show it.';
