-- What each status means, and what it meant before, with the time.
CREATE OR REPLACE VIEW core.status_meanings AS
SELECT shop_id, status_code, stage, is_sale, valid_from, valid_until FROM core.status_versions
UNION ALL
SELECT t.shop_id, t.status_code, t.stage, t.is_sale,
  coalesce((
    SELECT max(v.valid_until) FROM core.status_versions v WHERE v.shop_id = t.shop_id AND v.status_code = t.status_code
  ), '-infinity'),
  'infinity'
FROM core.order_statuses t;
