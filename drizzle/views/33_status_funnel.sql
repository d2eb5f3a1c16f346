CREATE OR REPLACE VIEW bi.status_funnel AS
WITH paths AS MATERIALIZED (
  SELECT shop_id, status_code, earlier, sum(orders)::bigint AS orders
  FROM core.status_path_totals
  GROUP BY shop_id, status_code, earlier
),
groups AS (
  SELECT
    t.shop_id,
    s.shop_key AS shop,
    t.stage,
    l.status_code,
    l.is_status,
    max(coalesce(t.name_local, nullif(t.name, t.status_code), t.shown_code)) AS name,
    min(t.stage_order) AS stage_order,
    array_agg(t.status_code) AS codes
  FROM core.order_statuses t
  JOIN core.shops s ON s.shop_id = t.shop_id
  CROSS JOIN LATERAL (VALUES (true, t.shown_code), (false, NULL)) AS l(is_status, status_code)
  GROUP BY t.shop_id, s.shop_key, t.stage, l.is_status, l.status_code
)
SELECT
  g.shop_id,
  g.shop,
  CASE WHEN g.is_status THEN 'status' ELSE 'stage' END AS level,
  g.stage,
  g.status_code,
  CASE WHEN g.is_status THEN g.name END AS status,
  g.stage_order,
  c.reached AS orders_reached,
  c.now AS orders_now,
  c.all_orders,
  (100.0 * c.reached / nullif(c.all_orders, 0))::numeric(7, 4) AS reached_percent,
  (100.0 * c.now / nullif(c.all_orders, 0))::numeric(7, 4) AS now_percent
FROM groups g
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(p.orders) FILTER (WHERE p.status_code = ANY (g.codes) OR p.earlier && g.codes), 0)::bigint AS reached,
    coalesce(sum(p.orders) FILTER (WHERE p.status_code = ANY (g.codes)), 0)::bigint AS now,
    coalesce(sum(p.orders), 0)::bigint AS all_orders
  FROM paths p
  WHERE p.shop_id = g.shop_id
) c;

COMMENT ON VIEW bi.status_funnel IS 'One row per shop and stage (level stage), and one per shop and status (level status): how many orders were ever seen in it, and how many are in it now. An order that was first seen late, such as those from before the first sweep, was not seen in earlier stages. Filter on level. Deleted orders are excluded.';
COMMENT ON COLUMN bi.status_funnel.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.status_funnel.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.status_funnel.level IS 'What the row is about: stage, which combines its statuses, or status.';
COMMENT ON COLUMN bi.status_funnel.stage IS 'Stage: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi.status_funnel.status_code IS 'Status code. NULL: the row is about a stage.';
COMMENT ON COLUMN bi.status_funnel.status IS 'Name of the status: the name that you entered, otherwise English. NULL: the row is about a stage.';
COMMENT ON COLUMN bi.status_funnel.stage_order IS 'For sorting: position in the usual course of an order. NULL: not part of it.';
COMMENT ON COLUMN bi.status_funnel.orders_reached IS 'Orders that were ever seen in it, each counted once, even if it came back.';
COMMENT ON COLUMN bi.status_funnel.orders_now IS 'Orders that are in it now.';
COMMENT ON COLUMN bi.status_funnel.all_orders IS 'All orders of the shop, without deleted ones: the base of the percentages.';
COMMENT ON COLUMN bi.status_funnel.reached_percent IS 'Share of all_orders that were ever seen in it, in percent. NULL: the shop has no orders.';
COMMENT ON COLUMN bi.status_funnel.now_percent IS 'Share of all_orders that are in it now, in percent. NULL: the shop has no orders.';

SELECT ops.grant_to_reader('bi.status_funnel');
