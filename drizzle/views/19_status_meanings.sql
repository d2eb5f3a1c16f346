CREATE OR REPLACE VIEW core.status_meanings AS
SELECT shop_id, status_code, stage, is_sale, valid_from, valid_until FROM core.status_versions
UNION ALL
SELECT t.shop_id, t.status_code, t.stage, t.is_sale,
  coalesce((
    SELECT max(v.valid_until) FROM core.status_versions v WHERE v.shop_id = t.shop_id AND v.status_code = t.status_code
  ), '-infinity'),
  'infinity'
FROM core.order_statuses t;

COMMENT ON VIEW core.status_meanings IS 'What each status means, and what it meant before, with the time.';
COMMENT ON COLUMN core.status_meanings.shop_id IS 'Shop of the status.';
COMMENT ON COLUMN core.status_meanings.status_code IS 'Code of the status.';
COMMENT ON COLUMN core.status_meanings.stage IS 'Stage of orders with the status.';
COMMENT ON COLUMN core.status_meanings.is_sale IS 'Whether its orders count as revenue.';
COMMENT ON COLUMN core.status_meanings.valid_from IS 'Since when; -infinity for the first time.';
COMMENT ON COLUMN core.status_meanings.valid_until IS 'Until when; infinity: it is so now.';
