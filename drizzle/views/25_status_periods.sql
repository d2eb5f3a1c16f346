-- Entries of the history that differ in payment or amounts alone are one period.
CREATE OR REPLACE VIEW bi.status_periods AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  p.period_no,
  o.order_date,
  coalesce(ops.code_shown(t.shown_code, t.code_no), '(hidden)') AS status_code,
  coalesce(ops.code_shown(t.shown_name, t.code_no), '(hidden)') AS status,
  coalesce(t.stage, 'unknown') AS stage,
  p.observed_at AS entered_at,
  p.left_at,
  (extract(epoch FROM p.left_at - p.observed_at) / 3600)::numeric(12, 2) AS hours,
  CASE WHEN p.left_at IS NOT NULL THEN coalesce(ops.code_shown(n.shown_code, n.code_no), '(hidden)') END AS next_status_code,
  CASE WHEN p.left_at IS NOT NULL THEN coalesce(ops.code_shown(n.shown_name, n.code_no), '(hidden)') END AS next_status,
  p.is_initial,
  p.left_at IS NULL AS is_current,
  (extract(epoch FROM p.observed_at - p.not_before) / 3600)::numeric(12, 2) AS uncertainty_hours,
  o.is_deleted,
  o.changed_at
FROM bi.orders o
-- Of each order by itself, so that a filter on orders leaves the history of all others alone.
CROSS JOIN LATERAL (
  SELECT
    status_code, observed_at, not_before, is_initial,
    row_number() OVER its AS period_no,
    lead(observed_at) OVER its AS left_at,
    lead(status_code) OVER its AS next_code
  FROM (
    SELECT *, lag(status_code) OVER (PARTITION BY shop_id, order_id ORDER BY seq) IS DISTINCT FROM status_code AS is_entered
    FROM core.order_history WHERE shop_id = o.shop_id AND order_id = o.order_id
  ) entries
  WHERE is_entered
  WINDOW its AS (PARTITION BY shop_id, order_id ORDER BY seq)
) p
LEFT JOIN core.order_statuses t ON t.shop_id = o.shop_id AND t.status_code = p.status_code
LEFT JOIN core.order_statuses n ON n.shop_id = o.shop_id AND n.status_code = p.next_code;

COMMENT ON VIEW bi.status_periods IS 'One row per order and time in a status: from when to when it was seen in it, and what came next. Changes of payment or amounts do not split it, as they do bi.order_history. A status that came and went between two readings is missing. Of the three histories, the one for how long orders stay in a status.';
COMMENT ON COLUMN bi.status_periods.period_no IS 'Position of the period in the order''s life, from 1. A status that comes back is a new period.';
COMMENT ON COLUMN bi.status_periods.status_code IS 'Status code; empty text: the shop''s "no status", or no readable one.';
COMMENT ON COLUMN bi.status_periods.stage IS 'Stage of the status: draft, open, fulfilment, delivered, cancelled, returned, other or unknown. That of a deleted order''s status too: see is_deleted.';
COMMENT ON COLUMN bi.status_periods.entered_at IS 'When the order was first seen in the status: it entered it earlier, by up to uncertainty_hours.';
COMMENT ON COLUMN bi.status_periods.left_at IS 'When it was first seen in the next status. NULL: it is in this one.';
COMMENT ON COLUMN bi.status_periods.hours IS 'Hours from entered_at to left_at; those before the first reading of the order are unknown. NULL: it is in this status.';
COMMENT ON COLUMN bi.status_periods.next_status_code IS 'Status code that came next. NULL: none yet.';
COMMENT ON COLUMN bi.status_periods.next_status IS 'Name of the status that came next. NULL: none yet.';
COMMENT ON COLUMN bi.status_periods.is_initial IS 'True for the status in which the order was first seen: since when is unknown, and hours is the least it can be.';
COMMENT ON COLUMN bi.status_periods.is_current IS 'True for the status in which the order was last seen.';
COMMENT ON COLUMN bi.status_periods.uncertainty_hours IS 'Hours between the last reading before entered_at and entered_at: how precisely it is known. NULL: the first period.';
