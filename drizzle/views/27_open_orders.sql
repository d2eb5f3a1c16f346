CREATE OR REPLACE VIEW bi.open_orders AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  o.order_date,
  o.created_at,
  (now() AT TIME ZONE s.timezone)::date - o.order_date AS age_days,
  o.status_code,
  o.status,
  o.stage,
  (
    SELECT min(h.observed_at) FROM core.order_history h
    WHERE h.shop_id = o.shop_id AND h.order_id = o.order_id AND h.seq > coalesce((
      SELECT max(p.seq) FROM core.order_history p
      WHERE p.shop_id = o.shop_id AND p.order_id = o.order_id AND p.status_code <> (
        SELECT c.status_code FROM core.order_history c
        WHERE c.shop_id = o.shop_id AND c.order_id = o.order_id AND c.observed_until IS NULL
      )
    ), 0)
  ) AS in_status_since,
  o.pay_status_code,
  o.pay_status,
  o.currency,
  o.order_sum,
  o.paid_amount,
  o.outstanding,
  o.delivery_name,
  o.customer_key,
  o.is_guest,
  o.is_sale,
  o.changed_at
FROM bi.orders o
JOIN core.shops s ON s.shop_id = o.shop_id
WHERE o.stage IN ('open', 'fulfilment');

COMMENT ON VIEW bi.open_orders IS 'One row per order that is still to be completed: in a status of the stage open or fulfilment, and not deleted.';
COMMENT ON COLUMN bi.open_orders.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.open_orders.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.open_orders.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.open_orders.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.open_orders.created_at IS 'When the order was placed. NULL: no readable date.';
COMMENT ON COLUMN bi.open_orders.age_days IS 'Age of the order in days, in the shop''s time zone; 0 for today''s. NULL: no readable date.';
COMMENT ON COLUMN bi.open_orders.status_code IS 'Status code of the order; empty text: the shop''s "no status", or no readable one.';
COMMENT ON COLUMN bi.open_orders.status IS 'Name of the order''s status: the name that you entered, otherwise English.';
COMMENT ON COLUMN bi.open_orders.stage IS 'Stage of the order: open or fulfilment.';
COMMENT ON COLUMN bi.open_orders.in_status_since IS 'When the order was first seen in its present status; if it was first read in it, it may have been in it before: orders are watched since bi.shops.added_at. NULL: its history is not known.';
COMMENT ON COLUMN bi.open_orders.pay_status_code IS 'Payment status code as the shop sends it; empty text if it sends none.';
COMMENT ON COLUMN bi.open_orders.pay_status IS 'Name of the payment status: the name that you entered, otherwise English.';
COMMENT ON COLUMN bi.open_orders.currency IS 'Currency of every amount in the row. NULL: not sent.';
COMMENT ON COLUMN bi.open_orders.order_sum IS 'Order total. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.open_orders.paid_amount IS 'Amount paid so far. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.open_orders.outstanding IS 'What the buyer still owes, as in bi.orders. NULL: the total or the amount paid is unknown.';
COMMENT ON COLUMN bi.open_orders.delivery_name IS 'Name of the delivery method. NULL: none.';
COMMENT ON COLUMN bi.open_orders.customer_key IS 'Pseudonym of the buyer, as in bi.orders.';
COMMENT ON COLUMN bi.open_orders.is_guest IS 'True if the order has no registered buyer.';
COMMENT ON COLUMN bi.open_orders.is_sale IS 'True if the order counts as revenue.';
COMMENT ON COLUMN bi.open_orders.changed_at IS 'When anything of the order last changed here, see bi.orders. An order that leaves this view has no row here: keep a copy up to date by that one.';
