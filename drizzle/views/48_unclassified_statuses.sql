CREATE OR REPLACE VIEW bi.unclassified_statuses AS
WITH unclassified AS (
  SELECT shop_id, 'order' AS kind, status_code AS code, ops.code_shown(shown_code, code_no) AS shown_code
  FROM core.order_statuses
  WHERE NOT is_documented AND stage = 'unknown' AND NOT is_sale AND name = status_code AND name_local IS NULL
),
unnamed AS (
  SELECT shop_id, 'payment' AS kind, pay_status_code AS code, ops.code_shown(shown_code, code_no) AS shown_code
  FROM core.payment_statuses
  WHERE NOT is_documented AND name = pay_status_code AND name_local IS NULL
),
used AS (
  SELECT u.shop_id, u.kind, u.shown_code, u.code, count(o.order_id) AS orders, max(o.created_on) AS last_order_date
  FROM unclassified u
  LEFT JOIN core.orders o ON o.shop_id = u.shop_id AND o.status_code = u.code AND o.deleted_at IS NULL
  GROUP BY u.shop_id, u.kind, u.shown_code, u.code
  UNION ALL
  SELECT u.shop_id, u.kind, u.shown_code, u.code, count(o.order_id), max(o.created_on)
  FROM unnamed u
  LEFT JOIN core.orders o ON o.shop_id = u.shop_id AND o.pay_status_code = u.code AND o.deleted_at IS NULL
  GROUP BY u.shop_id, u.kind, u.shown_code, u.code
)
SELECT
  u.shop_id,
  s.shop_key AS shop,
  u.kind,
  u.shown_code AS code,
  sum(u.orders)::bigint AS orders,
  max(u.last_order_date) AS last_order_date
FROM used u
JOIN core.shops s ON s.shop_id = u.shop_id
GROUP BY u.shop_id, s.shop_key, u.kind, u.shown_code;

COMMENT ON VIEW bi.unclassified_statuses IS 'One row per shop and status code that is not in the platform''s documentation and still has to be classified. Orders with such a code are loaded, but do not count as sales. A code leaves the list once it has a stage or a name, or is a sale, in core.order_statuses; a payment code, once it has a name in core.payment_statuses.';
COMMENT ON COLUMN bi.unclassified_statuses.shop_id IS 'Shop that uses the code.';
COMMENT ON COLUMN bi.unclassified_statuses.kind IS 'Kind of code: order (core.order_statuses) or payment (core.payment_statuses).';
COMMENT ON COLUMN bi.unclassified_statuses.code IS 'Code as the shop sends it. A number such as #3: one that does not look like a code; core.order_statuses and core.payment_statuses have it. (hidden): all codes in which a person was found.';
COMMENT ON COLUMN bi.unclassified_statuses.orders IS 'Orders that currently have the code. May be 0: earlier ones remain in bi.order_history.';
COMMENT ON COLUMN bi.unclassified_statuses.last_order_date IS 'Day, in the shop''s time zone, on which the newest of these orders was placed. NULL: no such order, or no readable date.';
