-- A sale that comes, goes or moves changes the place of the customer's later sales, and which is the first. New orders are mostly the
-- latest: nothing is noted for them.
-- Of sales that came or went. For those that changed see follow_order_changes.
CREATE OR REPLACE FUNCTION ops.note_sales() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO ops.view_changes (shop_id, kind, key, since)
  SELECT c.shop_id, 'customer', c.customer_key, c.created_at FROM written c
  WHERE c.deleted_at IS NULL AND c.created_at IS NOT NULL
    AND (SELECT t.is_sale FROM core.order_statuses t WHERE t.shop_id = c.shop_id AND t.status_code = c.status_code)
    AND (
      SELECT true FROM core.orders e
      WHERE e.shop_id = c.shop_id AND e.customer_key = c.customer_key AND e.created_at >= c.created_at AND e.order_id <> c.order_id LIMIT 1);
  RETURN NULL;
END $$;
