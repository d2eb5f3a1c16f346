CREATE OR REPLACE VIEW bi.payments AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  o.order_date,
  o.stage,
  o.is_sale,
  o.pay_status_code,
  o.pay_status,
  CASE
    WHEN o.order_sum IS NULL OR o.paid_amount IS NULL THEN 'unknown'
    WHEN o.paid_amount > o.order_sum THEN 'overpaid'
    WHEN o.paid_amount = o.order_sum THEN 'paid'
    WHEN o.paid_amount > 0 THEN 'partly paid'
    ELSE 'not paid'
  END AS payment_state,
  o.currency,
  o.order_sum,
  o.paid_amount,
  o.outstanding,
  (
    SELECT coalesce(sum(h.before - h.paid_amount) FILTER (WHERE h.paid_amount < h.before), 0)
    FROM (
      SELECT paid_amount, lag(paid_amount) OVER (ORDER BY seq) AS before
      FROM core.order_history WHERE shop_id = o.shop_id AND order_id = o.order_id
    ) h
  )::numeric(16, 2) AS refunded_amount,
  (
    SELECT CASE WHEN NOT h.is_initial THEN h.observed_at END FROM core.order_history h
    WHERE h.shop_id = o.shop_id AND h.order_id = o.order_id AND h.paid_amount >= h.order_sum AND h.order_sum > 0
    ORDER BY h.seq LIMIT 1
  ) AS paid_at,
  o.pay_method,
  o.customer_key,
  o.changed_at
FROM bi.orders o
WHERE NOT o.is_deleted;

COMMENT ON VIEW bi.payments IS 'One row per order that is not deleted: how much of it is paid, and what was refunded. For money still to come, add up outstanding.';
COMMENT ON COLUMN bi.payments.stage IS 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi.payments.payment_state IS 'By the amounts: not paid, partly paid, paid, overpaid, or unknown if one of them is.';
COMMENT ON COLUMN bi.payments.refunded_amount IS 'By how much paid_amount was seen to fall, in all; 0 if never. What was refunded before the order was first read is unknown.';
COMMENT ON COLUMN bi.payments.paid_at IS 'When the order was first seen fully paid. NULL: never, or it was already when first read.';
COMMENT ON COLUMN bi.payments.changed_at IS 'When anything of the order last changed here, see bi.orders. To keep a copy up to date, use bi.orders.changed_at: an order that leaves this view has no row here.';
