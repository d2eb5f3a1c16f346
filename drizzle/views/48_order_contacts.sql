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
COMMENT ON COLUMN bi_pii.order_contacts.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi_pii.order_contacts.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi_pii.order_contacts.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi_pii.order_contacts.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi_pii.order_contacts.customer_key IS 'Pseudonym of the buyer: joins with the views of bi.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_oid IS 'The shop''s number of the buyer; all guests share one. NULL: not sent.';
COMMENT ON COLUMN bi_pii.order_contacts.is_guest IS 'True if the order has no registered buyer.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_name IS 'Name as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_email IS 'E-mail address as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_phone IS 'Phone number as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_address IS 'Delivery address as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.comment IS 'Comment on the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.fields IS 'All extra fields of the order as JSON, as they were sent: key to value, name and label; including those that bi.order_fields hides. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.status IS 'Name of the order''s status: the name that you entered, otherwise English.';
COMMENT ON COLUMN bi_pii.order_contacts.stage IS 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other or unknown; deleted if the shop has deleted it.';
COMMENT ON COLUMN bi_pii.order_contacts.is_sale IS 'True if the order counts as revenue; deleted ones never do.';
COMMENT ON COLUMN bi_pii.order_contacts.is_deleted IS 'True if the shop has deleted the order.';
COMMENT ON COLUMN bi_pii.order_contacts.changed_at IS 'When anything of the order last changed here, see bi.orders: keep a copy up to date by that view.';
