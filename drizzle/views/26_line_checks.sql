-- The platform leaves open whether `count` is units or lines, and what of lines, discounts and delivery is in the sum. Each shop does it
-- in one way, or in several that its orders do not tell apart: those that nine of ten of its latest 300 orders keep. Sweeps learn them
-- from this view.
CREATE OR REPLACE VIEW core.line_checks AS
SELECT
  shop_id, order_id, line_count, quantity, unpriced, uncounted, withheld, kept, relations, is_count_kept, is_sum_kept,
  is_count_kept IS FALSE OR is_sum_kept IS FALSE AS is_doubtful
FROM (
  SELECT
    o.shop_id, o.order_id, l.line_count, l.quantity, l.unpriced, l.uncounted, o.withheld + l.withheld AS withheld, c.kept, s.line_relations AS relations,
    -- The greatest of truth values is whether any is true, without those that are not known.
    greatest(
      CASE WHEN 'lines' = ANY (s.line_relations) THEN c.kept[1] END,
      CASE WHEN 'units' = ANY (s.line_relations) THEN c.kept[2] END
    ) AS is_count_kept,
    greatest(
      CASE WHEN 'total' = ANY (s.line_relations) THEN c.kept[3] END,
      CASE WHEN 'total+delivery' = ANY (s.line_relations) THEN c.kept[4] END,
      CASE WHEN 'discounted' = ANY (s.line_relations) THEN c.kept[5] END,
      CASE WHEN 'discounted+delivery' = ANY (s.line_relations) THEN c.kept[6] END,
      CASE WHEN 'list' = ANY (s.line_relations) THEN c.kept[7] END,
      CASE WHEN 'list+delivery' = ANY (s.line_relations) THEN c.kept[8] END
    ) AS is_sum_kept
  FROM core.orders o
  LEFT JOIN ops.shop_state s ON s.shop_id = o.shop_id
  CROSS JOIN LATERAL (
    SELECT
      count(*) AS line_count,
      coalesce(sum(withheld), 0)::integer AS withheld,
      count(*) - count(line_total) AS unpriced,
      count(*) - count(quantity) AS uncounted,
      CASE WHEN count(*) = count(quantity) THEN sum(quantity) END AS quantity,
      max(line_no) AS last_line
    FROM core.order_lines
    WHERE shop_id = o.shop_id AND order_id = o.order_id
  ) l
  CROSS JOIN LATERAL (
    SELECT
      -- Lines that are outdated, or of which one could not be read, so that their numbers have a gap, prove nothing; nor does no line.
      o.lines_state IN ('ok', 'doubtful') AND l.last_line = l.line_count AS is_known,
      coalesce(o.delivery_price, 0) AS delivery,
      o.lines_total - ops.order_discount(o.discount_raw, o.discount_percent, o.lines_total) AS discounted,
      -- Each line may have been rounded.
      l.line_count * 0.01 AS rounding
  ) f
  CROSS JOIN LATERAL (
    SELECT CASE WHEN f.is_known THEN ARRAY[
      o.item_count = l.line_count,
      o.item_count = l.quantity,
      abs(o.order_sum - o.lines_total) <= f.rounding,
      abs(o.order_sum - o.lines_total - f.delivery) <= f.rounding,
      abs(o.order_sum - f.discounted) <= f.rounding,
      abs(o.order_sum - f.discounted - f.delivery) <= f.rounding,
      abs(o.order_sum - o.list_total) <= f.rounding,
      abs(o.order_sum - o.list_total - f.delivery) <= f.rounding
    ] END AS kept
  ) c
  WHERE o.deleted_at IS NULL
) checked;
