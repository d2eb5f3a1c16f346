CREATE OR REPLACE VIEW bi_pii.order_contacts AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  o.order_date,
  o.customer_key,
  o.buyer_oid,
  o.is_guest,
  ops.shown_text(p.buyer_name) AS buyer_name,
  ops.shown_text(p.buyer_email) AS buyer_email,
  ops.shown_text(p.buyer_phone) AS buyer_phone,
  ops.shown_text(p.buyer_address) AS buyer_address,
  ops.shown_text(p.comment) AS comment,
  p.fields,
  o.status,
  o.stage,
  o.is_sale,
  o.is_deleted,
  o.changed_at
FROM bi.orders o
LEFT JOIN core.order_persons p ON p.shop_id = o.shop_id AND p.order_id = o.order_id;

COMMENT ON VIEW bi_pii.order_contacts IS 'One row per order, with what the buyer entered about themselves. Personal data: use it to contact buyers, not in reports.';
COMMENT ON COLUMN bi_pii.order_contacts.customer_key IS 'Pseudonym of the buyer: joins with the views of bi.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_oid IS 'The shop''s number of the buyer; all guests share one. NULL: not sent.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_name IS 'Name as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_email IS 'E-mail address as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_phone IS 'Phone number as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_address IS 'Delivery address as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.comment IS 'Comment on the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.fields IS 'All extra fields of the order as JSON, as they were sent: key to value, name and label; including those that bi.order_fields hides. NULL: none.';
