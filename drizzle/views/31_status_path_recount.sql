-- Rows of core.status_paths for the days marked as stale, recomputed.
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
