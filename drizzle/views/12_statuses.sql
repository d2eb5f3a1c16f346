CREATE OR REPLACE VIEW bi.statuses AS
SELECT
  t.shop_id,
  s.shop_key AS shop,
  ops.code_shown(t.shown_code, t.code_no) AS status_code,
  max(ops.code_shown(t.shown_name, t.code_no)) AS status,
  max(coalesce(nullif(t.name, t.status_code), ops.code_shown(t.shown_code, t.code_no))) AS english_name,
  max(t.stage) AS stage,
  min(t.stage_order) AS stage_order,
  bool_or(t.is_sale) AS is_sale,
  bool_or(t.is_final) AS is_final,
  bool_or(t.is_documented) AS is_documented
FROM core.order_statuses t
JOIN core.shops s ON s.shop_id = t.shop_id
GROUP BY t.shop_id, s.shop_key, ops.code_shown(t.shown_code, t.code_no);

COMMENT ON VIEW bi.statuses IS 'One row per shop and order status: its name, its stage, and whether its orders are sales. It shows core.order_statuses, the one table in which you decide that; edit that table as the owner.';
COMMENT ON COLUMN bi.statuses.status_code IS 'Code as the shop sends it; empty text is the shop''s "no status". A number such as #3: a code of the shop''s own that does not look like a code, until you classify it. (hidden): all codes in which a person was found.';
COMMENT ON COLUMN bi.statuses.english_name IS 'English name; for a code of the shop''s own, the code.';
COMMENT ON COLUMN bi.statuses.stage IS 'Stage: draft, open, fulfilment, delivered, cancelled, returned, other, or unknown for a code that nobody has classified yet.';
COMMENT ON COLUMN bi.statuses.is_sale IS 'True if orders in this status count as revenue.';
COMMENT ON COLUMN bi.statuses.is_final IS 'True if orders in this status hardly ever change again.';
COMMENT ON COLUMN bi.statuses.is_documented IS 'True if the status is in the platform''s documentation.';
