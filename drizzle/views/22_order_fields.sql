-- The fields are whatever the shop asks its buyers, so any of them may contain personal data, its key and label too. Nothing is
-- shown by what it looks like: the owner decides in core.order_form_fields; without a word, only what many customers share
-- is shown, see core.shown_field_texts.
CREATE OR REPLACE VIEW bi.order_fields AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  CASE WHEN w.is_shown IS NOT NULL OR k.text IS NOT NULL THEN f.key END AS field_key,
  CASE WHEN coalesce(w.is_shown, v.text IS NOT NULL) THEN f.value END AS value,
  CASE WHEN w.is_shown IS NOT NULL OR n.text IS NOT NULL THEN f.name END AS name,
  CASE WHEN w.is_shown IS NOT NULL OR l.text IS NOT NULL THEN f.label END AS label,
  f.value IS NOT NULL AND NOT coalesce(w.is_shown, v.text IS NOT NULL) AS is_hidden,
  o.order_date,
  o.currency,
  o.order_sum,
  o.customer_key,
  o.is_sale,
  o.is_deleted,
  f.field_no::integer AS field_no,
  o.changed_at
FROM core.orders c
JOIN bi.orders o ON o.shop_id = c.shop_id AND o.order_id = c.order_id
CROSS JOIN LATERAL (
  SELECT
    key,
    nullif(btrim(value ->> 'value'), '') AS value,
    value ->> 'name' AS name,
    value ->> 'label' AS label,
    field_no
  FROM jsonb_each(CASE WHEN jsonb_typeof(c.fields) = 'object' THEN c.fields END) WITH ORDINALITY AS j (key, value, field_no)
  -- Keeps the planner from copying the expressions to every place that uses them and computing them again.
  OFFSET 0
) f
LEFT JOIN core.order_form_fields w ON w.shop_id = c.shop_id AND w.field_key = f.key
LEFT JOIN core.shown_field_texts k
  ON k.shop_id = c.shop_id AND k.field_key = f.key AND k.part = 'key' AND k.text = f.key
LEFT JOIN core.shown_field_texts n
  ON n.shop_id = c.shop_id AND n.field_key = f.key AND n.part = 'name' AND n.text = f.name
LEFT JOIN core.shown_field_texts l
  ON l.shop_id = c.shop_id AND l.field_key = f.key AND l.part = 'label' AND l.text = f.label
LEFT JOIN core.shown_field_texts v
  ON v.shop_id = c.shop_id AND v.field_key = f.key AND v.part = 'value' AND v.text = f.value;

COMMENT ON VIEW bi.order_fields IS 'One row per order and field that the shop added to its order form. Fields may contain personal data, so nothing is shown unless you allow the field in core.order_form_fields, or many customers share it: by default a key, name, label or value that at least 20 customers have in common (FIELDS_MIN_PEERS), values only in fields where half of the entries are such. What is new in a busy shop shows within an hour. All values are in bi_pii.order_contacts, for those who may see them.';
COMMENT ON COLUMN bi.order_fields.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.order_fields.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.order_fields.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.order_fields.field_key IS 'Key of the field; group by it, because names may change. NULL: hidden.';
COMMENT ON COLUMN bi.order_fields.value IS 'Value of the field in the order, as trimmed text. NULL: nothing, or hidden, see is_hidden.';
COMMENT ON COLUMN bi.order_fields.name IS 'Name of the field. NULL: none, or hidden.';
COMMENT ON COLUMN bi.order_fields.label IS 'Name of the field in the shop''s language. NULL: none, or hidden.';
COMMENT ON COLUMN bi.order_fields.is_hidden IS 'True if there is a value that is not shown.';
COMMENT ON COLUMN bi.order_fields.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.order_fields.currency IS 'Currency of order_sum. NULL: not sent.';
COMMENT ON COLUMN bi.order_fields.order_sum IS 'Total of the whole order, repeated in each of its rows: add it up for one field_key at a time. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_fields.customer_key IS 'Pseudonym of the buyer, as in bi.orders.';
COMMENT ON COLUMN bi.order_fields.is_sale IS 'True if the order counts as revenue; deleted ones never do.';
COMMENT ON COLUMN bi.order_fields.is_deleted IS 'True if the shop has deleted the order.';
COMMENT ON COLUMN bi.order_fields.field_no IS 'Position of the field in the order; with the order, the key of the row.';
COMMENT ON COLUMN bi.order_fields.changed_at IS 'When anything of the order last changed here, see bi.orders: the cursor for incremental reads. What is shown or hidden may change without it.';

SELECT ops.grant_to_reader('bi.order_fields');
