-- What the views show of an order may change without the order: what its status means, which fields are shown, the group of its buyer.
-- Triggers note that in the same transaction; whoever drains the table moves changed_at of the orders afterwards. So no edit waits
-- for a sync, and no order is missed that was being written meanwhile: its transaction has ended before it is looked for. Users may refer
-- to a group before it is known.
SELECT ops.define_follower('follow_' || relation || '_update', format($sql$
  INSERT INTO ops.view_changes (shop_id, kind, key)
  SELECT shop_id, %L, key FROM (SELECT shop_id, %s::text AS key, %s FROM written EXCEPT SELECT shop_id, %2$s::text, %3$s FROM old_rows) changed $sql$,
  kind, key, shown))
FROM (VALUES
  ('payments', 'payment', 'pay_status_code', 'name, name_local, shown_code'),
  ('users', 'buyer', 'user_oid', 'group_oid'),
  ('groups', 'group', 'group_oid', 'name'),
  ('shops', 'shop', 'shop_key', 'shop_key')) AS n(relation, kind, key, shown);

SELECT ops.define_follower('follow_groups_insert', $sql$
  INSERT INTO ops.view_changes (shop_id, kind, key) SELECT shop_id, 'group', group_oid FROM written WHERE name IS NOT NULL $sql$);
