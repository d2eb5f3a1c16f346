-- What each status means, and what it meant before, with the time. With all that is shown of it: what joins orders to this needs no other
-- table, and the planner does not take the rows of a join for one, and read all orders for each status.
CREATE OR REPLACE VIEW core.status_meanings AS
SELECT v.shop_id, v.status_code, v.stage, v.is_sale, v.valid_from, v.valid_until, ops.code_shown(t.shown_code, t.code_no) AS shown_code, s.shop_key AS shop
FROM core.status_versions v
JOIN core.order_statuses t ON t.shop_id = v.shop_id AND t.status_code = v.status_code
JOIN core.shops s ON s.shop_id = v.shop_id
UNION ALL
SELECT t.shop_id, t.status_code, t.stage, t.is_sale,
  coalesce((
    SELECT max(v.valid_until) FROM core.status_versions v WHERE v.shop_id = t.shop_id AND v.status_code = t.status_code
  ), '-infinity'),
  'infinity',
  ops.code_shown(t.shown_code, t.code_no),
  s.shop_key
FROM core.order_statuses t
JOIN core.shops s ON s.shop_id = t.shop_id;
