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
COMMENT ON COLUMN bi.open_orders.age_days IS 'Age of the order in days, in the shop''s time zone; 0 for today''s. NULL: no readable date.';
COMMENT ON COLUMN bi.open_orders.stage IS 'Stage of the order: open or fulfilment.';
COMMENT ON COLUMN bi.open_orders.in_status_since IS 'When the order was first seen in its present status; if it was first read in it, it may have been in it before: orders are watched since bi.shops.added_at. NULL: its history is not known.';
COMMENT ON COLUMN bi.open_orders.changed_at IS 'When anything of the order last changed here, see bi.orders. To keep a copy up to date, use bi.orders.changed_at: an order that leaves this view has no row here.';
