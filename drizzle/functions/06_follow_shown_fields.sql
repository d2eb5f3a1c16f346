-- A field that is shown or hidden makes all orders that have it look different. What buyers entered as the source is in sums, too: the lock keeps
-- a refresh from storing them by the old word before this commits.
SELECT ops.define_follower('follow_fields_' || event,
  format($sql$
    UPDATE core.order_statuses t SET name = t.name WHERE t.shop_id IN (SELECT c.shop_id FROM (%s) c WHERE c.field_key = 'source') $sql$, changed),
  format($sql$
    WITH changed AS (%s), notes AS (
      INSERT INTO ops.view_changes (shop_id, kind, key) SELECT DISTINCT shop_id, 'field', field_key FROM changed
    )
    INSERT INTO ops.stale_sums (shop_id, day)
    SELECT DISTINCT o.shop_id, o.created_on FROM core.orders o
    WHERE o.shop_id IN (SELECT c.shop_id FROM changed c WHERE c.field_key = 'source') AND o.created_on IS NOT NULL $sql$, changed))
FROM (VALUES
  ('insert', 'TABLE written'), ('delete', 'TABLE written'),
  ('update', '(TABLE old_rows EXCEPT TABLE written) UNION ALL (TABLE written EXCEPT TABLE old_rows)')) AS e(event, changed);
