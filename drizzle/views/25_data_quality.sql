-- The platform leaves open whether `count` is units or lines, and whether the sum includes the delivery. Each shop does it in
-- one way, which most of its latest orders show.
CREATE OR REPLACE VIEW bi.data_quality AS
WITH latest AS (
  SELECT n.shop_id, n.order_id, n.item_count, n.order_sum, n.lines_total, n.delivery_price
  FROM (SELECT DISTINCT shop_id FROM core.order_statuses) s
  CROSS JOIN LATERAL (
    SELECT shop_id, order_id, item_count, order_sum, lines_total, delivery_price FROM core.orders
    WHERE shop_id = s.shop_id AND created_local IS NOT NULL AND deleted_at IS NULL AND lines_state = 'ok'
    ORDER BY created_local DESC LIMIT 300
  ) n
),
habits AS (
  SELECT
    n.shop_id,
    -- Three orders that tell the two apart, at least: one or two may be wrong.
    CASE
      WHEN count(*) FILTER (WHERE n.item_count = l.line_count AND l.quantity <> l.line_count)
        > greatest(2, count(*) FILTER (WHERE n.item_count = l.quantity AND l.quantity <> l.line_count)) THEN 'lines'
    END AS counts,
    count(*) FILTER (WHERE n.order_sum = n.lines_total AND n.delivery_price <> 0)
      > greatest(2, count(*) FILTER (WHERE n.order_sum = n.lines_total + n.delivery_price AND n.delivery_price <> 0))
      AS is_without_delivery
  FROM latest n
  CROSS JOIN LATERAL (
    SELECT count(*) AS line_count, CASE WHEN bool_and(quantity IS NOT NULL) THEN sum(quantity) END AS quantity
    FROM core.order_lines
    WHERE shop_id = n.shop_id AND order_id = n.order_id
  ) l
  GROUP BY n.shop_id
)
SELECT
  shop_id,
  shop,
  order_id,
  order_date,
  status_code,
  status,
  stage,
  is_sale,
  currency,
  order_sum,
  line_count,
  lines_total::numeric(16, 2) AS lines_total,
  delivery_price,
  difference::numeric(16, 2) AS difference,
  item_count,
  lines_quantity::numeric(16, 3) AS lines_quantity,
  lines_state,
  problems <> '' AS has_problem,
  nullif(problems, '') AS problems,
  changed_at,
  counts AS item_count_means,
  withheld_texts
FROM (
  SELECT
    o.shop_id, o.shop, o.order_id, o.order_date, o.status_code, o.status, o.stage, o.is_sale, o.currency, o.order_sum,
    o.delivery_price, o.item_count, o.lines_state, o.changed_at,
    coalesce(b.counts, 'units') AS counts,
    l.line_count,
    o.lines_total,
    l.quantity AS lines_quantity,
    h.withheld + l.withheld AS withheld_texts,
    d.difference,
    concat_ws(', ',
      CASE WHEN o.order_date IS NULL THEN 'no date' END,
      CASE WHEN o.currency IS NULL THEN 'no currency' END,
      CASE WHEN o.stage = 'unknown' THEN 'unknown status' END,
      CASE WHEN o.lines_state = 'doubtful' THEN 'lines contradict order' WHEN o.lines_state <> 'ok' THEN 'lines not loaded' END,
      CASE WHEN o.lines_state IN ('ok', 'doubtful') AND l.line_count = 0 THEN 'no lines' END,
      CASE WHEN l.unpriced > 0 THEN 'line without total' END,
      CASE WHEN l.uncounted > 0 THEN 'line without quantity' END,
      CASE WHEN o.order_sum IS NULL THEN 'no sum' END,
      CASE WHEN d.difference <> 0 AND d.difference + o.delivery_price = 0 THEN CASE WHEN NOT coalesce(b.is_without_delivery, false) THEN 'sum without delivery' END
        WHEN d.difference <> 0 THEN 'sum differs' END,
      CASE WHEN o.lines_state IN ('ok', 'doubtful') AND o.item_count <> CASE WHEN b.counts = 'lines' THEN l.line_count ELSE l.quantity END THEN 'item count differs' END,
      CASE WHEN o.amount_due < 0 AND o.order_sum IS NOT NULL THEN 'overpaid' END
    ) AS problems
  FROM bi.orders o
  JOIN core.orders h ON h.shop_id = o.shop_id AND h.order_id = o.order_id
  CROSS JOIN LATERAL (
    SELECT
      coalesce(sum(withheld), 0)::integer AS withheld,
      count(*) AS line_count,
      count(*) - count(line_total) AS unpriced,
      count(*) - count(quantity) AS uncounted,
      CASE WHEN count(*) = count(quantity) THEN sum(quantity) END AS quantity
    FROM core.order_lines
    WHERE shop_id = o.shop_id AND order_id = o.order_id
  ) l
  CROSS JOIN LATERAL (
    -- Outdated lines prove nothing about the order's sum.
    SELECT CASE WHEN o.lines_state IN ('ok', 'doubtful') THEN o.order_sum - o.lines_total - coalesce(o.delivery_price, 0) END AS difference
  ) d
  LEFT JOIN habits b ON b.shop_id = o.shop_id
  WHERE NOT o.is_deleted
) checked;

COMMENT ON VIEW bi.data_quality IS 'One row per order that the shop has not deleted: whether its figures are consistent. Filter on has_problem. Values are shown as the shop sent them, never corrected. Of the four views of the sync, the one for single orders whose figures do not fit.';
COMMENT ON COLUMN bi.data_quality.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.data_quality.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.data_quality.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.data_quality.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.data_quality.status_code IS 'Status code of the order; empty text: the shop''s "no status", or no readable one.';
COMMENT ON COLUMN bi.data_quality.status IS 'Name of the order''s status: the name that you entered, otherwise English.';
COMMENT ON COLUMN bi.data_quality.stage IS 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi.data_quality.is_sale IS 'True if the order counts as revenue.';
COMMENT ON COLUMN bi.data_quality.currency IS 'Currency of every amount in the row. NULL: not sent.';
COMMENT ON COLUMN bi.data_quality.order_sum IS 'Order total as the shop sent it. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.data_quality.line_count IS 'Number of lines in the warehouse.';
COMMENT ON COLUMN bi.data_quality.lines_total IS 'Sum of the line totals. NULL: there is no line, or one without a total.';
COMMENT ON COLUMN bi.data_quality.delivery_price IS 'Price of the delivery. NULL: not sent.';
COMMENT ON COLUMN bi.data_quality.difference IS 'Order total minus lines_total and delivery_price: 0 if they agree. NULL: one of them is unknown, or the lines are not up to date.';
COMMENT ON COLUMN bi.data_quality.item_count IS 'Number of items as the shop counts them. NULL: not sent.';
COMMENT ON COLUMN bi.data_quality.lines_quantity IS 'Sum of the lines'' quantities. NULL: there is no line, or one without a quantity.';
COMMENT ON COLUMN bi.data_quality.lines_state IS 'Whether the order''s lines are up to date: ok, pending, failed or doubtful.';
COMMENT ON COLUMN bi.data_quality.has_problem IS 'True if there is at least one problem.';
COMMENT ON COLUMN bi.data_quality.problems IS 'Problems, separated by commas: no date, no currency, unknown status, lines not loaded, lines contradict order (its count or sum is not what this shop''s orders say of their lines; they are fetched again), no lines, line without total, line without quantity, no sum, sum without delivery (it equals the lines alone, unless that is how this shop does it), sum differs, item count differs, overpaid. NULL: nothing.';
COMMENT ON COLUMN bi.data_quality.changed_at IS 'When anything of the order last changed here, see bi.orders. An order that leaves this view has no row here: keep a copy up to date by that one. Not part of it is what the latest orders of the shop decide: item_count_means, and the problems that are measured by them.';
COMMENT ON COLUMN bi.data_quality.item_count_means IS 'What the shop counts in item_count, as most of its latest 300 orders show: units or lines; other orders are measured by it.';
COMMENT ON COLUMN bi.data_quality.withheld_texts IS 'Texts of the order and its lines that are NULL here, or (hidden) for a code, since they hold the buyer or a contact. What the shop sent is kept with the person, in core.order_persons.';
