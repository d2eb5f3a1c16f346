-- The only view of bi that reads what persons entered. Fields are whatever the shop asks its buyers, so any of them may hold personal
-- data, its key and label too: the owner decides in core.order_form_fields which of them are shown.
CREATE OR REPLACE VIEW bi.order_fields AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  CASE WHEN w.is_shown THEN f.key END AS field_key,
  CASE WHEN w.is_shown THEN f.value WHEN f.value IS NOT NULL THEN '(hidden)' END AS value,
  CASE WHEN w.is_shown THEN f.name END AS name,
  CASE WHEN w.is_shown THEN f.label END AS label,
  f.value IS NOT NULL AND w.is_shown IS NOT TRUE AS is_hidden,
  o.order_date,
  o.currency,
  o.order_sum,
  o.customer_key,
  o.is_sale,
  o.is_deleted,
  f.field_no::integer AS field_no,
  o.changed_at
FROM bi.orders o
-- An outer join, so that it comes after those of the order: an inner one may join all persons of a shop with all its codes first.
LEFT JOIN core.order_entries e ON e.shop_id = o.shop_id AND e.order_id = o.order_id
CROSS JOIN LATERAL (
  SELECT
    e.key,
    nullif(btrim(ops.shown_text(e.value ->> 'value')), '') AS value,
    ops.shown_text(e.value ->> 'name') AS name,
    ops.shown_text(e.value ->> 'label') AS label,
    e.field_no
  WHERE e.field_no IS NOT NULL
  -- Keeps the planner from copying the expressions to every place that uses them and computing them again.
  OFFSET 0
) f
LEFT JOIN core.order_form_fields w ON w.shop_id = o.shop_id AND w.field_key = f.key;

COMMENT ON VIEW bi.order_fields IS 'One row per order and field that the shop added to its order form. Fields may contain personal data, so all are hidden but those that you show: order-sync fields show KEY, or core.order_form_fields. Orders that are stored without their person have rows only of fields that are kept. All values are in bi_pii.order_contacts, for those who may see them.';
COMMENT ON COLUMN bi.order_fields.field_key IS 'Key of the field; group by it, because names may change. NULL: hidden.';
COMMENT ON COLUMN bi.order_fields.value IS 'Value of the field in the order, as trimmed text; (hidden) for one that is not shown, see is_hidden. NULL: nothing was entered. An order without the field has no row.';
COMMENT ON COLUMN bi.order_fields.name IS 'Name of the field. NULL: none, or hidden.';
COMMENT ON COLUMN bi.order_fields.label IS 'Name of the field in the shop''s language. NULL: none, or hidden.';
COMMENT ON COLUMN bi.order_fields.is_hidden IS 'True if there is a value that is not shown: value is (hidden). False for a value that a buyer entered as such.';
COMMENT ON COLUMN bi.order_fields.currency IS 'Currency of order_sum. NULL: not sent.';
COMMENT ON COLUMN bi.order_fields.order_sum IS 'Total of the whole order, repeated in each of its rows: add it up for one field_key at a time. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_fields.field_no IS 'Position of the field in the order; with the order, the key of the row.';
-- That of the table, since this view is what makes it true.
COMMENT ON COLUMN core.order_form_fields.is_shown IS 'True: every value of the field is shown, with its key, name and label. False: all of them are hidden, and nobody is asked again.';
