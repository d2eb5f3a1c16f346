-- What is due goes by the policy that the shop was last swept with; by the default one until then.
CREATE OR REPLACE VIEW bi.completeness AS
WITH ledger_and_orders AS (
  SELECT
    shop_id, day, verified_at, orders_seen, attempts, last_error,
    0::bigint AS warehouse_orders, 0::bigint AS missing_orders
  FROM ops.days
  UNION ALL
  -- Orders may be in before their day is first written to the ledger: such a day is shown too.
  SELECT shop_id, day, NULL, NULL, 0::smallint, NULL, orders, 0
  FROM core.status_path_totals
  WHERE day IS NOT NULL
  UNION ALL
  SELECT shop_id, created_on, NULL, NULL, 0::smallint, NULL, 0, 1
  FROM core.orders
  WHERE missing_since IS NOT NULL AND deleted_at IS NULL AND created_on IS NOT NULL
),
days AS (
  SELECT
    shop_id, day,
    max(verified_at) AS verified_at,
    max(orders_seen) AS orders,
    sum(warehouse_orders)::bigint AS warehouse_orders,
    sum(missing_orders)::bigint AS missing_orders,
    max(attempts) AS attempts,
    max(last_error) AS last_error
  FROM ledger_and_orders
  GROUP BY shop_id, day
)
SELECT
  d.shop_id,
  s.shop_key AS shop,
  d.day,
  a.age_days,
  d.verified_at,
  d.orders,
  d.warehouse_orders,
  d.missing_orders,
  d.verified_at IS NOT NULL AS is_verified,
  f.freshness_target,
  d.verified_at IS NULL OR d.verified_at <= now() - f.freshness_target AS is_due,
  d.attempts,
  d.last_error
FROM days d
JOIN core.shops s ON s.shop_id = d.shop_id
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date - d.day AS age_days) a
CROSS JOIN LATERAL (
  SELECT coalesce(
    (
      SELECT justify_hours(make_interval(secs => r.target_seconds))
      FROM ops.api_profiles p
      CROSS JOIN LATERAL jsonb_to_recordset(
        CASE WHEN jsonb_typeof(p.profile -> 'freshness') = 'array' THEN p.profile -> 'freshness' END
      ) AS r (younger_than_days integer, target_seconds double precision)
      WHERE p.shop_id = d.shop_id AND (r.younger_than_days IS NULL OR a.age_days < r.younger_than_days)
      ORDER BY r.younger_than_days NULLS LAST
      LIMIT 1
    ),
    CASE
      WHEN a.age_days < 2 THEN interval '5 minutes'
      WHEN a.age_days < 14 THEN interval '1 hour'
      WHEN a.age_days < 60 THEN interval '6 hours'
      WHEN a.age_days < 400 THEN interval '1 day'
      ELSE interval '7 days'
    END
  ) AS freshness_target
) f;
--> statement-breakpoint
COMMENT ON COLUMN bi.completeness.freshness_target IS 'Longest time that should pass between verifications of a day of this age, by the policy that the shop was last swept with.';
COMMENT ON COLUMN bi.completeness.is_due IS 'True when the day was never verified or its verification is as old as freshness_target or older.';
--> statement-breakpoint
-- A line or an entry of history may be written by one transaction while another moves its order to another day: the
-- order is held until the end, so that the day that is marked is the one that it then has.
CREATE OR REPLACE FUNCTION ops.mark_lines() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (SELECT shop_id, order_id, product_oid FROM old_rows),
    becomes AS (SELECT shop_id, order_id, product_oid FROM new_rows),
    changed AS ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)),
    held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM changed) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  ELSE
    WITH held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM written) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION ops.mark_history() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (SELECT shop_id, order_id, status_code FROM old_rows WHERE observed_until IS NOT NULL),
    becomes AS (SELECT shop_id, order_id, status_code FROM new_rows WHERE observed_until IS NOT NULL),
    changed AS ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)),
    held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM changed) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  ELSE
    WITH held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM written WHERE observed_until IS NOT NULL) c
      JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- An older snapshot would leave orders that came meanwhile unmarked.
CREATE OR REPLACE FUNCTION ops.mark_statuses() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM old_rows o JOIN new_rows n USING (shop_id, status_code)
    WHERE (o.is_sale, o.stage) IS DISTINCT FROM (n.is_sale, n.stage)
  ) THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'what a sale is cannot be changed in a % transaction', current_setting('transaction_isolation')
      USING HINT = 'Use READ COMMITTED: an older snapshot does not show every order that this concerns.',
        ERRCODE = 'feature_not_supported';
  END IF;
  LOCK TABLE ops.stale_days IN SHARE UPDATE EXCLUSIVE MODE;
  WITH changed AS MATERIALIZED (
    SELECT DISTINCT s.shop_id, s.created_on, s.customer_key
    FROM old_rows o
    JOIN new_rows n USING (shop_id, status_code)
    JOIN core.orders s USING (shop_id, status_code)
    WHERE (o.is_sale, o.stage) IS DISTINCT FROM (n.is_sale, n.stage)
  ), days AS (
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM changed WHERE created_on IS NOT NULL
  )
  INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM changed;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- A publication of all tables refuses to remove rows of tables that have no key.
ALTER TABLE core.customer_cuts REPLICA IDENTITY FULL;
ALTER TABLE core.customer_sums REPLICA IDENTITY FULL;
ALTER TABLE core.daily_sums REPLICA IDENTITY FULL;
ALTER TABLE core.product_months REPLICA IDENTITY FULL;
ALTER TABLE core.status_paths REPLICA IDENTITY FULL;
ALTER TABLE ops.stale_days REPLICA IDENTITY FULL;
ALTER TABLE ops.stale_customers REPLICA IDENTITY FULL;
