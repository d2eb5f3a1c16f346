-- A filter on the day, or on an order, reaches both tables.
CREATE OR REPLACE VIEW bi.order_versions AS
SELECT
  v.shop_id,
  m.shop,
  v.order_id,
  greatest(v.valid_from, m.valid_from) AS valid_from,
  nullif(least(v.valid_until, m.valid_until), 'infinity') AS valid_until,
  v.created_on AS order_date,
  v.created_at,
  m.shown_code AS status_code,
  CASE WHEN v.is_deleted THEN 'deleted' ELSE m.stage END AS stage,
  m.is_sale AND NOT v.is_deleted AS is_sale,
  upper(v.currency) AS currency,
  v.order_sum,
  v.paid_amount,
  v.units,
  v.customer_key,
  v.is_deleted,
  v.is_reread,
  v.changed_at
FROM (
  SELECT
    o.shop_id, o.order_id, o.created_on, o.created_at, o.status_code, o.currency, o.order_sum, o.paid_amount, o.units,
    o.customer_key, o.deleted_at IS NOT NULL AS is_deleted, false AS is_reread, o.changed_at,
    coalesce((
      SELECT max(e.valid_until) FROM core.order_versions e WHERE e.shop_id = o.shop_id AND e.order_id = o.order_id
    ), o.stored_at, o.first_seen_at) AS valid_from,
    'infinity'::timestamptz AS valid_until
  FROM core.orders o
  UNION ALL
  SELECT
    e.shop_id, e.order_id, e.created_on, e.created_at, e.status_code, e.currency, e.order_sum, e.paid_amount, e.units,
    e.customer_key, e.is_deleted, e.is_reread, o.changed_at, e.valid_from, e.valid_until
  FROM core.order_versions e
  JOIN core.orders o ON o.shop_id = e.shop_id AND o.order_id = e.order_id
) v
JOIN core.status_meanings m ON m.shop_id = v.shop_id AND m.status_code = v.status_code
  AND m.valid_from < v.valid_until AND m.valid_until > v.valid_from;

COMMENT ON VIEW bi.order_versions IS 'One row per order and time in which the reports showed it in one way: day, status and its meaning, currency, amounts, deletion. What they said at some time is WHERE valid_from <= that AND coalesce(valid_until > that, true). Times are those of this warehouse: bi.order_history has those of the shop. It begins at bi.shops.versions_since. Of the three histories, the one for what the reports said at some time.';
COMMENT ON COLUMN bi.order_versions.valid_from IS 'Since when the reports showed it so.';
COMMENT ON COLUMN bi.order_versions.valid_until IS 'Until when they did. NULL: they do.';
COMMENT ON COLUMN bi.order_versions.order_date IS 'Day the order was placed, as it was read then, in the shop''s time zone. NULL: no readable date.';
COMMENT ON COLUMN bi.order_versions.created_at IS 'When it was placed, as it was read then. NULL: no readable date.';
COMMENT ON COLUMN bi.order_versions.status_code IS 'Status code that it had then, as in bi.orders.';
COMMENT ON COLUMN bi.order_versions.stage IS 'Stage, as the status was classified then; deleted if the order was deleted.';
COMMENT ON COLUMN bi.order_versions.is_sale IS 'True if it counted as revenue then.';
COMMENT ON COLUMN bi.order_versions.currency IS 'Currency that it had then. NULL: not sent.';
COMMENT ON COLUMN bi.order_versions.order_sum IS 'Order total then. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_versions.paid_amount IS 'Amount paid then. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_versions.units IS 'Sum of the quantities of its lines then. NULL: none were loaded, or a line had none.';
COMMENT ON COLUMN bi.order_versions.customer_key IS 'Pseudonym of the buyer then, as in bi.orders. One that an erasure, a replay or another secret replaced is replaced in the past too.';
COMMENT ON COLUMN bi.order_versions.is_deleted IS 'True if the shop had deleted the order.';
COMMENT ON COLUMN bi.order_versions.is_reread IS 'True if it ended because a replay read the stored data differently, not because the shop changed the order.';

-- What was said then is what is said now, but for the days and customers of orders that changed since: of these, all orders are counted
-- again, as they were. Its owner reads the tables, since a view of them would be planned anew for each of its uses. No plan may depend on
-- guessing how many orders changed: rows are joined by hashing, and looked up by day or customer where OFFSET 0 says so.
CREATE OR REPLACE FUNCTION bi.daily_sales_asof(at timestamptz) RETURNS TABLE (
  shop_id integer, shop text, order_date date, currency text, orders bigint, revenue numeric(16, 2), paid numeric(16, 2),
  avg_order_value numeric(16, 2), items numeric(16, 3), customers bigint, new_customers bigint, cancelled_orders bigint,
  returned_orders bigint, draft_orders bigint, other_orders bigint, returning_customers bigint
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_nestloop = off SET jit = off AS $$
BEGIN
  -- A Citus joins them by the shop anyway, and takes no OFFSET there.
  RETURN QUERY EXECUTE replace($sql$
  WITH meanings AS MATERIALIZED (
    SELECT m.shop_id, m.status_code, m.stage, m.is_sale FROM core.status_meanings m WHERE m.valid_from <= $1 AND m.valid_until > $1
  ), became AS MATERIALIZED (
    SELECT
      o.shop_id, o.order_id, o.created_on, o.created_at, upper(o.currency) AS currency, o.status_code, o.customer_key, o.order_sum, o.paid_amount,
      o.units, o.deleted_at IS NOT NULL AS is_deleted,
      v.order_id IS NULL AND coalesce(o.stored_at, o.first_seen_at) <= $1 AS is_as_then
    FROM core.orders o
    LEFT JOIN (SELECT DISTINCT e.shop_id, e.order_id FROM core.order_versions e WHERE e.valid_until > $1) v
      ON v.shop_id = o.shop_id AND v.order_id = o.order_id
    LEFT JOIN (SELECT DISTINCT e.shop_id, e.status_code FROM core.status_versions e WHERE e.valid_until > $1) t
      ON t.shop_id = o.shop_id AND t.status_code = o.status_code
    WHERE v.order_id IS NOT NULL OR t.status_code IS NOT NULL OR coalesce(o.stored_at, o.first_seen_at) > $1
  ), was AS MATERIALIZED (
    SELECT
      v.shop_id, v.order_id, v.created_on, v.created_at, upper(v.currency) AS currency, v.status_code, v.customer_key, v.order_sum, v.paid_amount,
      v.units
    FROM core.order_versions v
    WHERE v.valid_from <= $1 AND v.valid_until > $1 AND NOT v.is_deleted
    UNION ALL
    SELECT
      b.shop_id, b.order_id, b.created_on, b.created_at, b.currency, b.status_code, b.customer_key, b.order_sum, b.paid_amount,
      b.units
    FROM became b
    WHERE b.is_as_then AND NOT b.is_deleted
  ), days AS MATERIALIZED (
    SELECT w.shop_id, w.created_on AS day FROM was w WHERE w.created_on IS NOT NULL
    UNION
    SELECT b.shop_id, b.created_on FROM became b WHERE b.created_on IS NOT NULL
  ), people AS MATERIALIZED (
    SELECT w.shop_id, w.customer_key FROM was w UNION SELECT b.shop_id, b.customer_key FROM became b
  ), of_days AS (
    SELECT w.shop_id, w.created_on, w.currency, w.status_code, w.customer_key, w.order_sum, w.paid_amount, w.units FROM was w
    UNION ALL
    SELECT o.shop_id, o.created_on, upper(o.currency), o.status_code, o.customer_key, o.order_sum, o.paid_amount, o.units
    FROM (
      SELECT o.* FROM days d
      CROSS JOIN LATERAL (
        SELECT * FROM core.orders e WHERE e.shop_id = d.shop_id AND e.created_on = d.day AND e.deleted_at IS NULL OFFSET 0
      ) o
      UNION ALL
      SELECT e.* FROM core.orders e WHERE e.created_on IS NULL AND e.deleted_at IS NULL
    ) o
    WHERE NOT EXISTS (SELECT FROM became b WHERE b.shop_id = o.shop_id AND b.order_id = o.order_id)
  ), sales_of_people AS (
    SELECT w.shop_id, w.customer_key, w.status_code, w.currency, w.created_on, w.created_at, w.order_id FROM was w
    UNION ALL
    SELECT o.shop_id, o.customer_key, o.status_code, upper(o.currency), o.created_on, o.created_at, o.order_id
    FROM people p
    CROSS JOIN LATERAL (
      SELECT * FROM core.orders e WHERE e.shop_id = p.shop_id AND e.customer_key = p.customer_key AND e.deleted_at IS NULL OFFSET 0
    ) o
    WHERE NOT EXISTS (SELECT FROM became b WHERE b.shop_id = o.shop_id AND b.order_id = o.order_id)
  ), firsts AS (
    SELECT DISTINCT ON (s.shop_id, s.customer_key) s.shop_id, s.created_on, s.currency
    FROM sales_of_people s
    JOIN meanings m ON m.shop_id = s.shop_id AND m.status_code = s.status_code
    WHERE m.is_sale
    ORDER BY s.shop_id, s.customer_key, s.created_on IS NULL, s.created_at, s.order_id
  ), parts AS (
    SELECT
      t.shop_id, t.day, t.currency, t.orders, t.revenue, t.priced_orders, t.paid, t.items, t.customers, 0::bigint AS new_customers,
      t.cancelled_orders, t.returned_orders, t.draft_orders, t.other_orders
    FROM core.daily_totals t
    WHERE t.day IS NOT NULL AND NOT EXISTS (SELECT FROM days d WHERE d.shop_id = t.shop_id AND d.day = t.day)
    UNION ALL
    SELECT
      o.shop_id, o.created_on, o.currency,
      count(*) FILTER (WHERE m.is_sale),
      sum(o.order_sum) FILTER (WHERE m.is_sale),
      count(o.order_sum) FILTER (WHERE m.is_sale),
      sum(o.paid_amount) FILTER (WHERE m.is_sale),
      sum(o.units) FILTER (WHERE m.is_sale),
      count(DISTINCT o.customer_key) FILTER (WHERE m.is_sale),
      0,
      count(*) FILTER (WHERE m.stage = 'cancelled'),
      count(*) FILTER (WHERE m.stage = 'returned'),
      count(*) FILTER (WHERE m.stage = 'draft'),
      count(*) FILTER (WHERE NOT m.is_sale AND m.stage NOT IN ('cancelled', 'returned', 'draft'))
    FROM of_days o
    JOIN meanings m ON m.shop_id = o.shop_id AND m.status_code = o.status_code
    GROUP BY o.shop_id, o.created_on, o.currency
    UNION ALL
    SELECT c.shop_id, c.new_on, c.currency, 0, NULL, 0, NULL, NULL, 0, count(*), 0, 0, 0, 0
    FROM core.customer_totals c
    WHERE c.is_first AND NOT EXISTS (SELECT FROM people p WHERE p.shop_id = c.shop_id AND p.customer_key = c.customer_key)
    GROUP BY c.shop_id, c.new_on, c.currency
    UNION ALL
    SELECT f.shop_id, f.created_on, f.currency, 0, NULL, 0, NULL, NULL, 0, count(*), 0, 0, 0, 0
    FROM firsts f GROUP BY f.shop_id, f.created_on, f.currency
  )
  SELECT
    p.shop_id, s.shop_key, p.day, p.currency,
    sum(p.orders)::bigint,
    coalesce(sum(p.revenue), 0)::numeric(16, 2),
    coalesce(sum(p.paid), 0)::numeric(16, 2),
    (sum(p.revenue) / nullif(sum(p.priced_orders), 0))::numeric(16, 2),
    coalesce(sum(p.items), 0)::numeric(16, 3),
    sum(p.customers)::bigint,
    CASE WHEN h.history_from IS NULL THEN sum(p.new_customers)::bigint END,
    sum(p.cancelled_orders)::bigint,
    sum(p.returned_orders)::bigint,
    sum(p.draft_orders)::bigint,
    sum(p.other_orders)::bigint,
    CASE WHEN h.history_from IS NULL THEN sum(p.customers)::bigint - sum(p.new_customers)::bigint END
  FROM parts p
  JOIN core.shops s ON s.shop_id = p.shop_id
  LEFT JOIN core.histories h ON h.shop_id = p.shop_id
  WHERE s.versions_since <= $1
  GROUP BY p.shop_id, s.shop_key, p.day, p.currency, h.history_from $sql$, 'OFFSET 0', CASE WHEN ops.is_spread() THEN '' ELSE 'OFFSET 0' END) USING at;
END $$;

COMMENT ON FUNCTION bi.daily_sales_asof(timestamptz) IS 'What bi.daily_sales said at some time, with the orders, deletions and classifications of then; nothing of a shop before bi.shops.versions_since. Customers are counted by the keys of today, new ones as far as history_from of bi.daily_sales is NULL. It has no amounts but revenue and paid: those of goods and delivery are not kept.';

CREATE OR REPLACE FUNCTION bi.daily_sales_changes(day date, since timestamptz) RETURNS TABLE (
  shop_id integer, shop text, order_id bigint, currency text, cause text, orders bigint, revenue numeric(16, 2),
  paid numeric(16, 2), items numeric(16, 3), cancelled_orders bigint, returned_orders bigint, draft_orders bigint, other_orders bigint
)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  shops integer[];
  numbers bigint[];
BEGIN
  SELECT array_agg(DISTINCT v.shop_id), array_agg(DISTINCT v.order_id) INTO shops, numbers
  FROM bi.order_versions v WHERE v.order_date = day AND coalesce(v.valid_until > since, true);
  RETURN QUERY
  WITH versions AS MATERIALIZED (
    SELECT * FROM bi.order_versions v
    WHERE v.shop_id = ANY (shops) AND v.order_id = ANY (numbers) AND coalesce(v.valid_until > since, true)
  ), histories AS (
    SELECT
      v.shop_id, v.order_id,
      bool_or(v.valid_from <= since) AS was_there,
      bool_or(v.is_deleted) FILTER (WHERE v.valid_from <= since) AS was_deleted,
      bool_or(v.is_deleted) FILTER (WHERE v.valid_until IS NULL) AS is_deleted,
      bool_and(v.is_reread) FILTER (WHERE v.valid_until IS NOT NULL) AS is_reread,
      count(DISTINCT (v.order_date, v.currency, v.status_code, v.order_sum, v.paid_amount, v.units))
        FILTER (WHERE v.valid_from <= since OR v.valid_until IS NULL) > 1 AS is_edited,
      count(DISTINCT coalesce(v.order_date, 'infinity')) FILTER (WHERE v.valid_from <= since OR v.valid_until IS NULL) > 1 AS is_moved
    FROM versions v GROUP BY v.shop_id, v.order_id
  ), parts AS (
    SELECT
      v.*,
      CASE WHEN v.valid_until IS NULL THEN 1 ELSE 0 END - CASE WHEN v.valid_from <= since THEN 1 ELSE 0 END AS sign,
      CASE
        WHEN NOT h.was_there THEN 'came late'
        WHEN h.is_deleted THEN 'deleted'
        WHEN h.was_deleted THEN 'returned'
        WHEN NOT h.is_edited THEN 'reclassified'
        WHEN h.is_reread THEN 're-normalized'
        WHEN h.is_moved THEN 'moved'
        ELSE 'edited'
      END AS cause
    FROM versions v JOIN histories h ON h.shop_id = v.shop_id AND h.order_id = v.order_id
    WHERE v.order_date = day AND NOT v.is_deleted
  )
  SELECT f.*
  FROM (
    SELECT
      p.shop_id, p.shop, p.order_id, p.currency, p.cause,
      coalesce(sum(p.sign) FILTER (WHERE p.is_sale), 0)::bigint AS orders,
      coalesce(sum(p.sign * p.order_sum) FILTER (WHERE p.is_sale), 0)::numeric(16, 2) AS revenue,
      coalesce(sum(p.sign * p.paid_amount) FILTER (WHERE p.is_sale), 0)::numeric(16, 2) AS paid,
      coalesce(sum(p.sign * p.units) FILTER (WHERE p.is_sale), 0)::numeric(16, 3) AS items,
      coalesce(sum(p.sign) FILTER (WHERE p.stage = 'cancelled'), 0)::bigint AS cancelled_orders,
      coalesce(sum(p.sign) FILTER (WHERE p.stage = 'returned'), 0)::bigint AS returned_orders,
      coalesce(sum(p.sign) FILTER (WHERE p.stage = 'draft'), 0)::bigint AS draft_orders,
      coalesce(sum(p.sign) FILTER (WHERE NOT p.is_sale AND p.stage NOT IN ('cancelled', 'returned', 'draft')), 0)::bigint AS other_orders
    FROM parts p
    JOIN bi.shops s ON s.shop_id = p.shop_id AND s.versions_since <= since
    GROUP BY p.shop_id, p.shop, p.order_id, p.currency, p.cause
  ) f
  WHERE (f.orders, f.revenue, f.paid, f.items, f.cancelled_orders, f.returned_orders, f.draft_orders, f.other_orders)
    <> (0, 0, 0, 0, 0, 0, 0, 0);
END $$;

COMMENT ON FUNCTION bi.daily_sales_changes(date, timestamptz) IS 'The orders that make the difference between what bi.daily_sales said of a day at some time and says now, each with what it adds or takes away. Causes: came late, deleted, returned (from deletion), reclassified, re-normalized (by a replay, or its lines were loaded later), moved (to another day), edited. The figures add up to the difference. Nothing of a shop before bi.shops.versions_since.';
