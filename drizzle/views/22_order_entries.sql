-- The extra fields of orders, as buyers entered them. A Citus asks its nodes with the rights of the reader, who must not read persons: there a
-- function reads them, which keeps back what the owner does not show.
DO $$
BEGIN
  IF ops.is_spread() THEN
    CREATE OR REPLACE VIEW core.order_entries AS
    SELECT o.shop_id, o.order_id, f.key, f.value, f.field_no
    FROM core.orders o CROSS JOIN LATERAL ops.shown_fields(o.shop_id, o.order_id) f;
  ELSE
    CREATE OR REPLACE VIEW core.order_entries AS
    SELECT p.shop_id, p.order_id, f.key, f.value, f.field_no
    FROM core.order_persons p
    CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(p.fields) = 'object' THEN p.fields END) WITH ORDINALITY AS f (key, value, field_no);
  END IF;
END $$;
