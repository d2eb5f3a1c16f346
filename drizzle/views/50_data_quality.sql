CREATE OR REPLACE VIEW bi.data_quality AS
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
    d.counts,
    c.line_count,
    o.lines_total,
    c.quantity AS lines_quantity,
    c.withheld AS withheld_texts,
    d.difference,
    concat_ws(', ',
      CASE WHEN o.order_date IS NULL THEN 'no date' END,
      CASE WHEN o.currency IS NULL THEN 'no currency' END,
      CASE WHEN o.stage = 'unknown' THEN 'unknown status' END,
      CASE WHEN o.lines_state NOT IN ('ok', 'doubtful') THEN 'lines not loaded' WHEN c.is_doubtful THEN 'lines contradict order' END,
      CASE WHEN o.lines_state IN ('ok', 'doubtful') AND c.line_count = 0 THEN 'no lines' END,
      CASE WHEN c.unpriced > 0 THEN 'line without total' END,
      CASE WHEN c.uncounted > 0 THEN 'line without quantity' END,
      CASE WHEN o.order_sum IS NULL THEN 'no sum' END,
      -- Where the shop's orders do not tell: with the delivery, and units.
      CASE WHEN coalesce(c.is_sum_kept, d.difference = 0) THEN NULL
        WHEN d.difference <> 0 AND d.difference + o.delivery_price = 0 THEN 'sum without delivery'
        WHEN d.difference IS NOT NULL THEN 'sum differs' END,
      CASE WHEN NOT coalesce(c.is_count_kept, o.item_count = CASE d.counts WHEN 'lines' THEN c.line_count ELSE c.quantity END)
        AND o.lines_state IN ('ok', 'doubtful') THEN 'item count differs' END,
      CASE WHEN o.amount_due < 0 AND o.order_sum IS NOT NULL THEN 'overpaid' END
    ) AS problems
  FROM bi.orders o
  -- Looked up for each order: a join may be planned for one row where statistics do not know the shop, and is quadratic for many.
  CROSS JOIN LATERAL (SELECT * FROM core.line_checks WHERE shop_id = o.shop_id AND order_id = o.order_id OFFSET 0) c
  CROSS JOIN LATERAL (
    SELECT
      -- Outdated lines prove nothing about the order's sum.
      CASE WHEN o.lines_state IN ('ok', 'doubtful') THEN o.order_sum - o.lines_total - coalesce(o.delivery_price, 0) END AS difference,
      CASE WHEN c.relations @> '{lines}' AND NOT c.relations @> '{units}' THEN 'lines' ELSE 'units' END AS counts
  ) d
  WHERE NOT o.is_deleted
) checked;

COMMENT ON VIEW bi.data_quality IS 'One row per order that the shop has not deleted: whether its figures are consistent. Filter on has_problem. Values are shown as the shop sent them, never corrected. Of the four views of the sync, the one for single orders whose figures do not fit.';
COMMENT ON COLUMN bi.data_quality.stage IS 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
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
COMMENT ON COLUMN bi.data_quality.changed_at IS 'When anything of the order last changed here, see bi.orders. To keep a copy up to date, use bi.orders.changed_at: an order that leaves this view has no row here. It does not move for what depends on the shop''s latest orders: item_count_means, and problems found by comparison with them.';
COMMENT ON COLUMN bi.data_quality.item_count_means IS 'What the shop counts in item_count, as nine of ten of its latest 300 orders show: lines, or else units; other orders are measured by it.';
COMMENT ON COLUMN bi.data_quality.withheld_texts IS 'Texts of the order and its lines that are NULL here, or (hidden) for a code, because they contain the buyer or a contact. What the shop sent is kept with the person, in core.order_persons.';
