-- What the views show of an order may change without the order: what its status means, which fields are shown, the group of its buyer.
-- Triggers note that in the same transaction; whoever drains the table moves changed_at of the orders afterwards. So no edit waits
-- for a sync, and no order is missed that was being written meanwhile: its transaction has ended before it is looked for.
CREATE OR REPLACE FUNCTION ops.note_view_changes() RETURNS trigger
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
END $$;
