CREATE OR REPLACE VIEW bi.returns AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  o.order_date,
  o.created_at,
  o.delivered_at,
  r.returned_at,
  (extract(epoch FROM r.returned_at - o.delivered_at) / 86400)::numeric(12, 2) AS days_to_return,
  o.status_code,
  o.status,
  o.currency,
  o.order_sum,
  o.paid_amount,
  o.delivery_name,
  o.customer_key,
  o.is_guest,
  o.changed_at
FROM bi.orders o
LEFT JOIN LATERAL (
  SELECT CASE WHEN NOT h.is_initial THEN h.observed_at END AS returned_at
  FROM core.order_history h
  JOIN core.order_statuses t ON t.shop_id = h.shop_id AND t.status_code = h.status_code
  WHERE h.shop_id = o.shop_id AND h.order_id = o.order_id AND t.stage = 'returned'
  ORDER BY h.seq LIMIT 1
) r ON true
WHERE o.stage = 'returned';

COMMENT ON VIEW bi.returns IS 'One row per order that is now in a status of the stage returned, and not deleted. None of them is a sale.';
COMMENT ON COLUMN bi.returns.delivered_at IS 'When the order was first seen delivered. NULL: never, or it was already when first read.';
COMMENT ON COLUMN bi.returns.returned_at IS 'When the order was first seen returned. NULL: it was already when first read.';
COMMENT ON COLUMN bi.returns.days_to_return IS 'Days of 24 hours from delivered_at to returned_at. NULL: one of them is unknown.';
COMMENT ON COLUMN bi.returns.paid_amount IS 'Amount paid and not refunded so far. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.returns.changed_at IS 'When anything of the order last changed here, see bi.orders. To keep a copy up to date, use bi.orders.changed_at: an order that leaves this view has no row here.';
