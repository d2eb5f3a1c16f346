CREATE OR REPLACE VIEW bi.status_funnel AS
WITH paths AS MATERIALIZED (
  SELECT
    shop_id, date_trunc('month', day::timestamp)::date AS order_month, currency, source, status_code, earlier, sum(orders) AS orders
  FROM core.status_path_totals
  GROUP BY shop_id, order_month, currency, source, status_code, earlier
),
bases AS (
  SELECT shop_id, order_month, currency, source, sum(orders) AS all_orders
  FROM paths GROUP BY shop_id, order_month, currency, source
),
-- Each status twice: for its own rows, and for those of its stage, which have no code.
codes AS (
  SELECT
    shop_id, stage, stage_order, status_code, unnest(ARRAY[ops.code_shown(shown_code, code_no), NULL]) AS shown_code,
    ops.code_shown(shown_name, code_no) AS name
  FROM core.order_statuses
),
passed AS (
  SELECT *, unnest(array_append(earlier, status_code)) AS code FROM paths
),
-- Once per order, in whichever statuses of the stage, or codes that show as one, it was.
seen AS (
  SELECT
    p.shop_id, p.order_month, p.currency, p.source, t.stage, t.shown_code AS status_code, p.orders, bool_or(p.code = p.status_code) AS is_now
  FROM passed p
  JOIN codes t ON t.shop_id = p.shop_id AND t.status_code = p.code
  GROUP BY
    p.shop_id, p.order_month, p.currency, p.source, t.stage, t.shown_code, p.orders, p.status_code, p.earlier
),
levels AS (
  SELECT shop_id, stage, shown_code AS status_code, min(stage_order) AS stage_order, max(name) AS name
  FROM codes GROUP BY shop_id, stage, shown_code
),
-- Every stage and status has a row in every month, so that sums over months have the right base.
parts AS (
  SELECT
    b.shop_id, b.order_month, b.currency, b.source, t.stage, t.status_code,
    0::numeric AS reached, 0::numeric AS now, b.all_orders
  FROM bases b JOIN levels t ON t.shop_id = b.shop_id
  UNION ALL
  SELECT
    shop_id, order_month, currency, source, stage, status_code, sum(orders), sum(orders) FILTER (WHERE is_now), 0
  FROM seen GROUP BY shop_id, order_month, currency, source, stage, status_code
),
counts AS (
  SELECT
    shop_id, order_month, currency, source, stage, status_code,
    sum(reached)::bigint AS reached, sum(now)::bigint AS now, sum(all_orders)::bigint AS all_orders
  FROM parts GROUP BY shop_id, order_month, currency, source, stage, status_code
)
SELECT
  c.shop_id,
  s.shop_key AS shop,
  CASE WHEN c.status_code IS NOT NULL THEN 'status' ELSE 'stage' END AS level,
  c.stage,
  c.status_code,
  CASE WHEN c.status_code IS NOT NULL THEN t.name END AS status,
  t.stage_order,
  c.reached AS orders_reached,
  c.now AS orders_now,
  c.all_orders,
  (100.0 * c.reached / nullif(c.all_orders, 0))::numeric(7, 4) AS reached_percent,
  (100.0 * c.now / nullif(c.all_orders, 0))::numeric(7, 4) AS now_percent,
  c.order_month,
  c.currency,
  c.source,
  s.created_at AS watched_since
FROM counts c
JOIN core.shops s ON s.shop_id = c.shop_id
JOIN levels t ON t.shop_id = c.shop_id AND t.stage = c.stage AND t.status_code IS NOT DISTINCT FROM c.status_code;

COMMENT ON VIEW bi.status_funnel IS 'One row per shop, month, currency and source of the orders, and stage (level stage) or status (level status): how many orders were ever seen in it, and how many are in it now. Filter on level, then add up over months, currencies and sources. An order that was placed before watched_since was not seen in its earlier stages: in older months fewer orders seem to have reached them. Deleted orders are excluded.';
COMMENT ON COLUMN bi.status_funnel.level IS 'What the row is about: stage, which combines its statuses, or status.';
COMMENT ON COLUMN bi.status_funnel.stage IS 'Stage: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi.status_funnel.status_code IS 'Status code. NULL: the row is about a stage.';
COMMENT ON COLUMN bi.status_funnel.status IS 'Name of the status: the name that you entered, otherwise English. NULL: the row is about a stage.';
COMMENT ON COLUMN bi.status_funnel.orders_reached IS 'Orders that were ever seen in it, each counted once, even if it came back.';
COMMENT ON COLUMN bi.status_funnel.orders_now IS 'Orders that are in it now.';
COMMENT ON COLUMN bi.status_funnel.all_orders IS 'All orders of the month, currency and source, without deleted ones: the base of the percentages.';
COMMENT ON COLUMN bi.status_funnel.reached_percent IS 'Share of all_orders that were ever seen in it, in percent. For several rows divide the sums.';
COMMENT ON COLUMN bi.status_funnel.now_percent IS 'Share of all_orders that are in it now, in percent. For several rows divide the sums.';
COMMENT ON COLUMN bi.status_funnel.order_month IS 'First day of the month in which the orders were placed, in the shop''s time zone. NULL: orders without a readable date.';
COMMENT ON COLUMN bi.status_funnel.currency IS 'Currency of the orders. NULL: not sent.';
COMMENT ON COLUMN bi.status_funnel.source IS 'What buyers entered in the extra field with the key source, if bi.order_fields shows it. NULL: nothing, or the field is hidden.';
COMMENT ON COLUMN bi.status_funnel.watched_since IS 'Since when the orders of the shop are watched, as bi.shops.added_at.';
