-- A filter on the day, or on an order, reaches both tables.
CREATE OR REPLACE VIEW bi.order_versions AS
SELECT
  v.shop_id,
  s.shop_key AS shop,
  v.order_id,
  greatest(v.valid_from, m.valid_from) AS valid_from,
  least(v.valid_until, m.valid_until) AS valid_until,
  v.created_on AS order_date,
  v.created_at,
  t.shown_code AS status_code,
  CASE WHEN v.is_deleted THEN 'deleted' ELSE m.stage END AS stage,
  m.is_sale AND NOT v.is_deleted AS is_sale,
  v.currency,
  v.order_sum,
  v.paid_amount,
  v.item_count,
  v.customer_key,
  v.is_deleted,
  v.is_reread,
  v.changed_at
FROM (
  SELECT
    o.shop_id, o.order_id, o.created_on, o.created_at, o.status_code, o.currency, o.order_sum, o.paid_amount, o.item_count,
    o.customer_key, o.deleted_at IS NOT NULL AS is_deleted, false AS is_reread, o.row_changed_at AS changed_at,
    coalesce((
      SELECT max(e.valid_until) FROM core.order_versions e WHERE e.shop_id = o.shop_id AND e.order_id = o.order_id
    ), o.stored_at, o.first_seen_at) AS valid_from,
    'infinity'::timestamptz AS valid_until
  FROM core.orders o
  UNION ALL
  SELECT
    e.shop_id, e.order_id, e.created_on, e.created_at, e.status_code, e.currency, e.order_sum, e.paid_amount, e.item_count,
    e.customer_key, e.is_deleted, e.is_reread, o.row_changed_at, e.valid_from, e.valid_until
  FROM core.order_versions e
  JOIN core.orders o ON o.shop_id = e.shop_id AND o.order_id = e.order_id
) v
JOIN core.shops s ON s.shop_id = v.shop_id
JOIN core.order_statuses t ON t.shop_id = v.shop_id AND t.status_code = v.status_code
JOIN core.status_meanings m ON m.shop_id = v.shop_id AND m.status_code = v.status_code
  AND m.valid_from < v.valid_until AND m.valid_until > v.valid_from;

COMMENT ON VIEW bi.order_versions IS 'One row per order and time in which the reports showed it in one way: day, status and its meaning, currency, amounts, deletion. What they said at some time is WHERE valid_from <= that AND valid_until > that. Times are those of this warehouse: bi.order_history has those of the shop. It begins with the version of order-sync that records it.';
COMMENT ON COLUMN bi.order_versions.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.order_versions.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.order_versions.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.order_versions.valid_from IS 'Since when the reports showed it so.';
COMMENT ON COLUMN bi.order_versions.valid_until IS 'Until when they did; infinity: they do.';
COMMENT ON COLUMN bi.order_versions.order_date IS 'Day the order was placed, as it was read then, in the shop''s time zone. NULL: no readable date.';
COMMENT ON COLUMN bi.order_versions.created_at IS 'When it was placed, as it was read then. NULL: no readable date.';
COMMENT ON COLUMN bi.order_versions.status_code IS 'Status code that it had then; (hidden) as in bi.orders.';
COMMENT ON COLUMN bi.order_versions.stage IS 'Stage, as the status was classified then; deleted if the order was deleted.';
COMMENT ON COLUMN bi.order_versions.is_sale IS 'True if it counted as revenue then.';
COMMENT ON COLUMN bi.order_versions.currency IS 'Currency that it had then. NULL: not sent.';
COMMENT ON COLUMN bi.order_versions.order_sum IS 'Order total then. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_versions.paid_amount IS 'Amount paid then. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_versions.item_count IS 'Number of items then. NULL: not sent.';
COMMENT ON COLUMN bi.order_versions.customer_key IS 'Pseudonym of the buyer then, as in bi.orders. One that an erasure, a replay or another secret replaced is replaced in the past too.';
COMMENT ON COLUMN bi.order_versions.is_deleted IS 'True if the shop had deleted the order.';
COMMENT ON COLUMN bi.order_versions.is_reread IS 'True if it ended because what is stored was read in another way, by a replay, and not because the shop changed it.';
COMMENT ON COLUMN bi.order_versions.changed_at IS 'When anything of the order last changed here, see bi.orders. Keep a copy up to date by bi.changed_orders.';

SELECT ops.grant_to_reader('bi.order_versions');

CREATE OR REPLACE FUNCTION bi.daily_sales_asof(at timestamptz) RETURNS TABLE (
  shop_id integer, shop text, order_date date, currency text, orders bigint, revenue numeric(16, 2), paid numeric(16, 2),
  avg_order_value numeric(16, 2), items bigint, customers bigint, new_customers bigint, cancelled_orders bigint,
  returned_orders bigint, draft_orders bigint, other_orders bigint, returning_customers bigint, paid_amount numeric(16, 2)
)
LANGUAGE sql STABLE AS $$
  WITH said AS (
    SELECT v.*, v.is_sale AND row_number() OVER (
      PARTITION BY v.shop_id, v.customer_key, v.is_sale ORDER BY v.order_date IS NULL, v.created_at, v.order_id
    ) = 1 AS is_first
    FROM bi.order_versions v
    WHERE v.valid_from <= at AND v.valid_until > at AND NOT v.is_deleted
  )
  SELECT
    shop_id, shop, order_date, currency,
    count(*) FILTER (WHERE is_sale),
    coalesce(sum(order_sum) FILTER (WHERE is_sale), 0)::numeric(16, 2),
    coalesce(sum(paid_amount) FILTER (WHERE is_sale), 0)::numeric(16, 2),
    (sum(order_sum) FILTER (WHERE is_sale) / nullif(count(order_sum) FILTER (WHERE is_sale), 0))::numeric(16, 2),
    coalesce(sum(item_count) FILTER (WHERE is_sale), 0)::bigint,
    count(DISTINCT customer_key) FILTER (WHERE is_sale),
    count(*) FILTER (WHERE is_first),
    count(*) FILTER (WHERE stage = 'cancelled'),
    count(*) FILTER (WHERE stage = 'returned'),
    count(*) FILTER (WHERE stage = 'draft'),
    count(*) FILTER (WHERE NOT is_sale AND stage NOT IN ('cancelled', 'returned', 'draft')),
    count(DISTINCT customer_key) FILTER (WHERE is_sale) - count(*) FILTER (WHERE is_first),
    coalesce(sum(paid_amount) FILTER (WHERE is_sale), 0)::numeric(16, 2)
  FROM said
  GROUP BY shop_id, shop, order_date, currency
$$;

COMMENT ON FUNCTION bi.daily_sales_asof(timestamptz) IS 'What bi.daily_sales said at some time, with the orders, deletions and classifications of then. Customers are counted by the keys of today.';

CREATE OR REPLACE FUNCTION bi.daily_sales_changes(day date, since timestamptz) RETURNS TABLE (
  shop_id integer, shop text, order_id bigint, currency text, cause text, orders bigint, revenue numeric(16, 2),
  paid_amount numeric(16, 2), items bigint, cancelled_orders bigint, returned_orders bigint, draft_orders bigint, other_orders bigint
)
LANGUAGE sql STABLE AS $$
  WITH of_day AS MATERIALIZED (
    SELECT DISTINCT v.shop_id, v.order_id FROM bi.order_versions v WHERE v.order_date = day AND v.valid_until > since
  ), versions AS MATERIALIZED (
    SELECT v.* FROM of_day d
    CROSS JOIN LATERAL (
      SELECT * FROM bi.order_versions o WHERE o.shop_id = d.shop_id AND o.order_id = d.order_id AND o.valid_until > since OFFSET 0
    ) v
  ), causes AS (
    SELECT n.shop_id, n.order_id, CASE
        WHEN w.order_id IS NULL THEN 'came late'
        WHEN n.is_deleted AND NOT w.is_deleted THEN 'deleted'
        WHEN w.is_deleted AND NOT n.is_deleted THEN 'returned'
        WHEN (w.order_date, w.currency, w.status_code, w.order_sum, w.paid_amount, w.item_count)
          IS NOT DISTINCT FROM (n.order_date, n.currency, n.status_code, n.order_sum, n.paid_amount, n.item_count) THEN 'reclassified'
        WHEN NOT EXISTS (
          SELECT FROM versions e WHERE e.shop_id = n.shop_id AND e.order_id = n.order_id AND e.valid_until <> 'infinity' AND NOT e.is_reread
        ) THEN 're-normalized'
        WHEN w.order_date IS DISTINCT FROM n.order_date THEN 'moved'
        ELSE 'edited'
      END AS cause
    FROM versions n
    LEFT JOIN versions w ON w.shop_id = n.shop_id AND w.order_id = n.order_id AND w.valid_from <= since
    WHERE n.valid_until = 'infinity'
  ), parts AS (
    SELECT v.*, CASE WHEN v.valid_until = 'infinity' THEN 1 ELSE 0 END - CASE WHEN v.valid_from <= since THEN 1 ELSE 0 END AS sign
    FROM versions v
    WHERE v.order_date = day AND NOT v.is_deleted
  )
  SELECT
    p.shop_id, p.shop, p.order_id, p.currency, c.cause,
    coalesce(sum(p.sign) FILTER (WHERE p.is_sale), 0)::bigint,
    coalesce(sum(p.sign * p.order_sum) FILTER (WHERE p.is_sale), 0)::numeric(16, 2),
    coalesce(sum(p.sign * p.paid_amount) FILTER (WHERE p.is_sale), 0)::numeric(16, 2),
    coalesce(sum(p.sign * p.item_count) FILTER (WHERE p.is_sale), 0)::bigint,
    coalesce(sum(p.sign) FILTER (WHERE p.stage = 'cancelled'), 0)::bigint,
    coalesce(sum(p.sign) FILTER (WHERE p.stage = 'returned'), 0)::bigint,
    coalesce(sum(p.sign) FILTER (WHERE p.stage = 'draft'), 0)::bigint,
    coalesce(sum(p.sign) FILTER (WHERE NOT p.is_sale AND p.stage NOT IN ('cancelled', 'returned', 'draft')), 0)::bigint
  FROM parts p
  JOIN causes c ON c.shop_id = p.shop_id AND c.order_id = p.order_id
  GROUP BY p.shop_id, p.shop, p.order_id, p.currency, c.cause
  HAVING ROW(
    coalesce(sum(p.sign) FILTER (WHERE p.is_sale), 0), coalesce(sum(p.sign * p.order_sum) FILTER (WHERE p.is_sale), 0),
    coalesce(sum(p.sign * p.paid_amount) FILTER (WHERE p.is_sale), 0), coalesce(sum(p.sign * p.item_count) FILTER (WHERE p.is_sale), 0),
    coalesce(sum(p.sign) FILTER (WHERE p.stage = 'cancelled'), 0), coalesce(sum(p.sign) FILTER (WHERE p.stage = 'returned'), 0),
    coalesce(sum(p.sign) FILTER (WHERE p.stage = 'draft'), 0),
    coalesce(sum(p.sign) FILTER (WHERE NOT p.is_sale AND p.stage NOT IN ('cancelled', 'returned', 'draft')), 0)
  ) IS DISTINCT FROM ROW(0::bigint, 0::numeric, 0::numeric, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint)
$$;

COMMENT ON FUNCTION bi.daily_sales_changes(date, timestamptz) IS 'The orders that make the difference between what bi.daily_sales said of a day at some time and says now, each with what it adds or takes away. Causes: came late, deleted, returned (from deletion), reclassified, re-normalized (by a replay), moved (to another day), edited. The figures add up to the difference.';
