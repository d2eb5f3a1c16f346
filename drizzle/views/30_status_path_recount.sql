CREATE OR REPLACE VIEW core.status_path_recount AS
SELECT shop_id, day, status_code, earlier, count(*) AS orders, currency, source
FROM (
  -- Both lookups are expressions: a Citus refuses one of them as an expression beside the other as a join.
  SELECT o.shop_id, o.day, o.status_code, o.currency, ARRAY(
    SELECT DISTINCT h.status_code FROM core.order_history h
    WHERE h.shop_id = o.shop_id AND h.order_id = o.order_id AND h.observed_until IS NOT NULL
      AND h.status_code <> o.status_code
    ORDER BY h.status_code
  ) AS earlier, (
    -- The only view that reads what persons typed: it knows what may be shown.
    SELECT left(s.value, 100) FROM bi.order_fields s
    WHERE w.is_shown AND s.shop_id = o.shop_id AND s.order_id = o.order_id AND s.field_key = w.field_key
  ) AS source
  FROM core.stale_orders o
  -- Most shops show no source, and then it is looked up for no order.
  LEFT JOIN core.order_form_fields w ON w.shop_id = o.shop_id AND w.field_key = 'source'
) paths
GROUP BY shop_id, day, status_code, earlier, currency, source;

COMMENT ON VIEW core.status_path_recount IS 'Rows of core.status_paths for the days marked as stale, recomputed.';
COMMENT ON COLUMN core.status_path_recount.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.status_path_recount.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.status_path_recount.status_code IS 'Current status of the orders.';
COMMENT ON COLUMN core.status_path_recount.earlier IS 'Other statuses in which the orders were seen before, sorted.';
COMMENT ON COLUMN core.status_path_recount.orders IS 'Number of orders.';
COMMENT ON COLUMN core.status_path_recount.currency IS 'Currency of the orders. NULL: not sent.';
COMMENT ON COLUMN core.status_path_recount.source IS 'What buyers entered in the extra field source, shortened to 100 characters, if bi.order_fields shows it. NULL: nothing, or the field is hidden.';
