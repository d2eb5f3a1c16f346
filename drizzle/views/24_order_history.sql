CREATE OR REPLACE VIEW bi.order_history AS
SELECT
  h.shop_id,
  o.shop,
  h.order_id,
  h.seq,
  o.order_date,
  coalesce(ops.code_shown(t.shown_code, t.code_no), '(hidden)') AS status_code,
  coalesce(ops.code_shown(t.shown_name, t.code_no), '(hidden)') AS status,
  coalesce(t.stage, 'unknown') AS stage,
  coalesce(ops.code_shown(p.shown_code, p.code_no), '(hidden)') AS pay_status_code,
  coalesce(ops.code_shown(p.shown_name, p.code_no), '(hidden)') AS pay_status,
  o.currency,
  h.order_sum,
  h.paid_amount,
  h.is_initial,
  h.observed_until IS NULL AS is_current,
  CASE WHEN earlier.seq IS NOT NULL THEN coalesce(ops.code_shown(et.shown_code, et.code_no), '(hidden)') END AS previous_status_code,
  CASE WHEN earlier.seq IS NOT NULL THEN coalesce(ops.code_shown(ep.shown_code, ep.code_no), '(hidden)') END AS previous_pay_status_code,
  h.source_updated_at,
  h.not_before,
  h.observed_at,
  h.observed_until,
  (extract(epoch FROM h.observed_at - h.not_before) / 3600)::numeric(12, 2) AS uncertainty_hours,
  (extract(epoch FROM h.observed_until - h.observed_at) / 3600)::numeric(12, 2) AS observed_hours,
  o.is_deleted,
  o.changed_at
FROM core.order_history h
JOIN bi.orders o ON o.shop_id = h.shop_id AND o.order_id = h.order_id
LEFT JOIN core.order_statuses t ON t.shop_id = h.shop_id AND t.status_code = h.status_code
LEFT JOIN core.payment_statuses p ON p.shop_id = h.shop_id AND p.pay_status_code = h.pay_status_code
LEFT JOIN core.order_history earlier
  ON earlier.shop_id = h.shop_id AND earlier.order_id = h.order_id AND earlier.seq = h.seq - 1
LEFT JOIN core.order_statuses et ON et.shop_id = earlier.shop_id AND et.status_code = earlier.status_code
LEFT JOIN core.payment_statuses ep
  ON ep.shop_id = earlier.shop_id AND ep.pay_status_code = earlier.pay_status_code;

COMMENT ON VIEW bi.order_history IS 'One row per order and state in which it was seen: status, payment status and amounts. The shop shows only the current state, so a change is only known to lie between not_before and observed_at, and a state that came and went between two readings is missing. Of the three histories, the one for what happened to an order in the shop.';
COMMENT ON COLUMN bi.order_history.seq IS 'Position of the state in the order''s life, from 1. A status that comes back is a new state.';
COMMENT ON COLUMN bi.order_history.status_code IS 'Status code in this state; empty text: the shop''s "no status", or no readable one.';
COMMENT ON COLUMN bi.order_history.stage IS 'Stage of the status: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi.order_history.pay_status_code IS 'Payment status code in this state; empty text if the shop sends none.';
COMMENT ON COLUMN bi.order_history.currency IS 'Current currency of the order. NULL: not sent.';
COMMENT ON COLUMN bi.order_history.order_sum IS 'Order total in this state. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_history.paid_amount IS 'Amount paid in this state. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_history.is_initial IS 'True for the state in which the order was first seen; when it entered that state is unknown.';
COMMENT ON COLUMN bi.order_history.is_current IS 'True for the state in which the order was last seen.';
COMMENT ON COLUMN bi.order_history.previous_status_code IS 'Status code of the previous state; the same as status_code if only payment or amounts changed. NULL: the first state.';
COMMENT ON COLUMN bi.order_history.previous_pay_status_code IS 'Payment status code of the previous state. NULL: the first state.';
COMMENT ON COLUMN bi.order_history.source_updated_at IS 'Last change of the order according to the shop, when the state was first seen. NULL: not reported.';
COMMENT ON COLUMN bi.order_history.not_before IS 'When the previous state was last seen: the order changed later. NULL: the first state.';
COMMENT ON COLUMN bi.order_history.observed_at IS 'When the state was first seen: the order changed earlier.';
COMMENT ON COLUMN bi.order_history.observed_until IS 'When the next state was first seen. NULL: it is the current state.';
COMMENT ON COLUMN bi.order_history.uncertainty_hours IS 'Hours from not_before to observed_at: how precisely the time of the change is known. NULL: the first state.';
COMMENT ON COLUMN bi.order_history.observed_hours IS 'Hours from observed_at to observed_until. NULL: it is the current state.';
