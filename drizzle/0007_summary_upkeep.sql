-- How the sums of 0006 stay true. A write marks the days and customers whose sums it made stale, in its own transaction,
-- whoever the writer is. The totals are the sums of what is not marked, and a recount of what is: so they are exact at
-- every moment. ops.refresh_summaries() writes the recount down and takes the marks off, and only speed depends on it.
-- Marks are only ever added, never updated: writers side by side neither wait for one another nor lose a mark.
CREATE OR REPLACE FUNCTION ops.mark_orders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (
      SELECT shop_id, order_id, created_on, customer_key, created_at, status_code, currency, order_sum, paid_amount,
        item_count, is_guest, buyer_oid, deleted_at IS NULL FROM old_rows
    ), becomes AS (
      SELECT shop_id, order_id, created_on, customer_key, created_at, status_code, currency, order_sum, paid_amount,
        item_count, is_guest, buyer_oid, deleted_at IS NULL FROM new_rows
    ), changed AS MATERIALIZED (
      (TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)
    ), days AS (
      INSERT INTO ops.stale_days (shop_id, day)
      SELECT DISTINCT shop_id, created_on FROM changed WHERE created_on IS NOT NULL
    )
    INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM changed;
  ELSE
    WITH days AS (
      INSERT INTO ops.stale_days (shop_id, day)
      SELECT DISTINCT shop_id, created_on FROM written WHERE created_on IS NOT NULL
    )
    INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM written;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Lines count towards the day of their order, by their product alone.
CREATE OR REPLACE FUNCTION ops.mark_lines() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (SELECT shop_id, order_id, product_oid FROM old_rows),
    becomes AS (SELECT shop_id, order_id, product_oid FROM new_rows)
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on
    FROM ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)) changed
    JOIN core.orders USING (shop_id, order_id)
    WHERE created_on IS NOT NULL;
  ELSE
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on
    FROM (SELECT DISTINCT shop_id, order_id FROM written) changed
    JOIN core.orders USING (shop_id, order_id)
    WHERE created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Of the history, the states that are over count: the present one is the order's own.
CREATE OR REPLACE FUNCTION ops.mark_history() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (SELECT shop_id, order_id, status_code FROM old_rows WHERE observed_until IS NOT NULL),
    becomes AS (SELECT shop_id, order_id, status_code FROM new_rows WHERE observed_until IS NOT NULL)
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on
    FROM ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)) changed
    JOIN core.orders USING (shop_id, order_id)
    WHERE created_on IS NOT NULL;
  ELSE
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on
    FROM (SELECT DISTINCT shop_id, order_id FROM written WHERE observed_until IS NOT NULL) changed
    JOIN core.orders USING (shop_id, order_id)
    WHERE created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- What a sale is, is the analyst's to say. The lock keeps a refresh from writing sums by the former rule between here and
-- the commit; orders that are loaded meanwhile bring marks of their own.
CREATE OR REPLACE FUNCTION ops.mark_statuses() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM old_rows o JOIN new_rows n USING (shop_id, status_code)
    WHERE (o.is_sale, o.stage) IS DISTINCT FROM (n.is_sale, n.stage)
  ) THEN
    RETURN NULL;
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
-- Also for whoever loaded rows with triggers switched off.
CREATE OR REPLACE FUNCTION ops.mark_everything() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO ops.stale_days (shop_id, day)
  SELECT shop_id, day FROM core.daily_sums
  UNION SELECT shop_id, day FROM core.status_paths
  UNION SELECT shop_id, month FROM core.product_months
  UNION SELECT shop_id, created_on FROM core.orders WHERE created_on IS NOT NULL;
  INSERT INTO ops.stale_customers (shop_id, customer_key)
  SELECT shop_id, customer_key FROM core.customer_sums
  UNION SELECT shop_id, customer_key FROM core.orders;
$$;
CREATE OR REPLACE FUNCTION ops.mark_after_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ops.mark_everything();
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER marks_added AFTER INSERT ON core.orders
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_orders();
CREATE OR REPLACE TRIGGER marks_changed AFTER UPDATE ON core.orders
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_orders();
CREATE OR REPLACE TRIGGER marks_removed AFTER DELETE ON core.orders
REFERENCING OLD TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_orders();
CREATE OR REPLACE TRIGGER marks_truncated AFTER TRUNCATE ON core.orders
FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_after_truncate();
CREATE OR REPLACE TRIGGER marks_added AFTER INSERT ON core.order_lines
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_lines();
CREATE OR REPLACE TRIGGER marks_changed AFTER UPDATE ON core.order_lines
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_lines();
CREATE OR REPLACE TRIGGER marks_removed AFTER DELETE ON core.order_lines
REFERENCING OLD TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_lines();
CREATE OR REPLACE TRIGGER marks_truncated AFTER TRUNCATE ON core.order_lines
FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_after_truncate();
CREATE OR REPLACE TRIGGER marks_added AFTER INSERT ON core.order_history
REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_history();
CREATE OR REPLACE TRIGGER marks_changed AFTER UPDATE ON core.order_history
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_history();
CREATE OR REPLACE TRIGGER marks_removed AFTER DELETE ON core.order_history
REFERENCING OLD TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_history();
CREATE OR REPLACE TRIGGER marks_truncated AFTER TRUNCATE ON core.order_history
FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_after_truncate();
CREATE OR REPLACE TRIGGER marks_changed AFTER UPDATE ON core.order_statuses
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_statuses();
--> statement-breakpoint
-- The recounts. OFFSET 0 has each marked day and customer looked up by itself: how many are marked is never known when a
-- query is planned, and a few must not cost a pass through every order.
CREATE OR REPLACE VIEW core.stale_orders AS
SELECT s.shop_id, s.day, o.order_id, o.status_code, o.currency, o.customer_key, o.order_sum, o.paid_amount, o.item_count
FROM (SELECT DISTINCT shop_id, day FROM ops.stale_days) s
CROSS JOIN LATERAL (
  SELECT * FROM core.orders WHERE shop_id = s.shop_id AND created_on = s.day AND deleted_at IS NULL OFFSET 0
) o
UNION ALL
-- Orders without a day cannot be told apart by day: they are counted anew each time.
SELECT shop_id, NULL::date, order_id, status_code, currency, customer_key, order_sum, paid_amount, item_count
FROM core.orders WHERE created_on IS NULL AND deleted_at IS NULL;
--> statement-breakpoint
CREATE OR REPLACE VIEW core.daily_recount AS
SELECT
  o.shop_id, o.day, o.currency,
  count(*) FILTER (WHERE t.is_sale) AS orders,
  sum(o.order_sum) FILTER (WHERE t.is_sale) AS revenue,
  count(o.order_sum) FILTER (WHERE t.is_sale) AS priced_orders,
  sum(o.paid_amount) FILTER (WHERE t.is_sale) AS paid,
  sum(o.item_count) FILTER (WHERE t.is_sale) AS items,
  count(DISTINCT o.customer_key) FILTER (WHERE t.is_sale) AS customers,
  count(*) FILTER (WHERE t.stage = 'cancelled') AS cancelled_orders,
  count(*) FILTER (WHERE t.stage = 'returned') AS returned_orders,
  count(*) FILTER (WHERE t.stage = 'draft') AS draft_orders,
  count(*) FILTER (WHERE NOT t.is_sale AND t.stage NOT IN ('cancelled', 'returned', 'draft')) AS other_orders
FROM core.stale_orders o
JOIN core.order_statuses t USING (shop_id, status_code)
GROUP BY o.shop_id, o.day, o.currency;
CREATE OR REPLACE VIEW core.status_path_recount AS
SELECT shop_id, day, status_code, earlier, count(*) AS orders
FROM (
  SELECT o.shop_id, o.day, o.status_code, ARRAY(
    SELECT DISTINCT h.status_code FROM core.order_history h
    WHERE h.shop_id = o.shop_id AND h.order_id = o.order_id AND h.observed_until IS NOT NULL
      AND h.status_code <> o.status_code
    ORDER BY h.status_code
  ) AS earlier
  FROM core.stale_orders o
) paths
GROUP BY shop_id, day, status_code, earlier;
CREATE OR REPLACE VIEW core.product_month_recount AS
SELECT o.shop_id, o.month, l.product_oid, count(DISTINCT o.order_id) AS orders
FROM (
  SELECT s.shop_id, s.month, o.order_id, o.status_code
  FROM (SELECT DISTINCT shop_id, date_trunc('month', day::timestamp)::date AS month FROM ops.stale_days) s
  CROSS JOIN LATERAL (
    SELECT order_id, status_code FROM core.orders
    WHERE shop_id = s.shop_id AND created_on >= s.month AND created_on < s.month + interval '1 month'
      AND deleted_at IS NULL
    OFFSET 0
  ) o
  UNION ALL
  SELECT shop_id, NULL::date, order_id, status_code FROM core.orders WHERE created_on IS NULL AND deleted_at IS NULL
) o
JOIN core.order_statuses t USING (shop_id, status_code)
CROSS JOIN LATERAL (
  SELECT product_oid FROM core.order_lines
  WHERE shop_id = o.shop_id AND order_id = o.order_id AND product_oid IS NOT NULL
  OFFSET 0
) l
WHERE t.is_sale
GROUP BY GROUPING SETS ((o.shop_id, o.month, l.product_oid), (o.shop_id, o.month));
CREATE OR REPLACE VIEW core.customer_recount AS
SELECT
  shop_id, customer_key, currency,
  sum(orders)::bigint AS orders,
  sum(revenue) AS revenue,
  sum(priced_orders)::bigint AS priced_orders,
  min(first_day) AS first_day,
  max(last_day) AS last_day,
  min(new_on) AS new_on,
  bool_and(is_guest) AS is_guest,
  max(buyer_oid) AS buyer_oid,
  array_agg(month ORDER BY month) FILTER (WHERE month IS NOT NULL) AS months,
  array_agg(orders ORDER BY month) FILTER (WHERE month IS NOT NULL) AS month_orders,
  array_agg(revenue ORDER BY month) FILTER (WHERE month IS NOT NULL) AS month_revenues
FROM (
  SELECT
    shop_id, customer_key, currency,
    date_trunc('month', created_on::timestamp)::date AS month,
    count(*) AS orders,
    sum(order_sum) AS revenue,
    count(order_sum) AS priced_orders,
    min(created_on) AS first_day,
    max(created_on) AS last_day,
    min(created_on) FILTER (WHERE place = 1) AS new_on,
    bool_and(is_guest) AS is_guest,
    max(buyer_oid) FILTER (WHERE NOT is_guest) AS buyer_oid
  FROM (
    SELECT o.*, row_number() OVER (
      PARTITION BY o.shop_id, o.customer_key ORDER BY o.created_on IS NULL, o.created_at, o.order_id
    ) AS place
    FROM (
      SELECT s.shop_id, s.customer_key, status_code, currency, order_sum, created_on, created_at, order_id, is_guest, buyer_oid
      FROM (SELECT DISTINCT shop_id, customer_key FROM ops.stale_customers) s
      CROSS JOIN LATERAL (
        SELECT status_code, currency, order_sum, created_on, created_at, order_id, is_guest, buyer_oid FROM core.orders
        WHERE shop_id = s.shop_id AND customer_key = s.customer_key AND deleted_at IS NULL
        OFFSET 0
      ) o
    ) o
    JOIN core.order_statuses t USING (shop_id, status_code)
    WHERE t.is_sale
  ) sales
  GROUP BY shop_id, customer_key, currency, date_trunc('month', created_on::timestamp)
) by_month
GROUP BY shop_id, customer_key, currency;
--> statement-breakpoint
-- The totals, exact at every moment: what the views of bi read.
CREATE OR REPLACE VIEW core.daily_totals AS
SELECT * FROM core.daily_sums d
WHERE NOT EXISTS (SELECT FROM ops.stale_days s WHERE s.shop_id = d.shop_id AND s.day = d.day)
UNION ALL SELECT * FROM core.daily_recount;
CREATE OR REPLACE VIEW core.status_path_totals AS
SELECT * FROM core.status_paths p
WHERE NOT EXISTS (SELECT FROM ops.stale_days s WHERE s.shop_id = p.shop_id AND s.day = p.day)
UNION ALL SELECT * FROM core.status_path_recount;
CREATE OR REPLACE VIEW core.product_month_totals AS
SELECT * FROM core.product_months p
WHERE NOT EXISTS (
  SELECT FROM ops.stale_days s WHERE s.shop_id = p.shop_id AND date_trunc('month', s.day::timestamp)::date = p.month
)
UNION ALL SELECT * FROM core.product_month_recount;
CREATE OR REPLACE VIEW core.customer_totals AS
SELECT * FROM core.customer_sums c
WHERE NOT EXISTS (
  SELECT FROM ops.stale_customers s WHERE s.shop_id = c.shop_id AND s.customer_key = c.customer_key
)
UNION ALL SELECT * FROM core.customer_recount;
--> statement-breakpoint
-- A customer's score is one more than the number of cuts that lie below him: so four values stand for everybody's rank.
-- One customer who changes may move them all, so a shop's are counted anew when any of its customers is marked.
CREATE OR REPLACE VIEW core.customer_cut_recount AS
SELECT m.shop_id, c.currency, c.days, c.orders, c.revenues
FROM (SELECT DISTINCT shop_id FROM ops.stale_customers) m
CROSS JOIN LATERAL (
  SELECT
    s.currency,
    ARRAY[s.days[f.at[1]], s.days[f.at[2]], s.days[f.at[3]], s.days[f.at[4]]] AS days,
    ARRAY[s.orders[f.at[1]], s.orders[f.at[2]], s.orders[f.at[3]], s.orders[f.at[4]]] AS orders,
    ARRAY[s.revenues[f.at[1]], s.revenues[f.at[2]], s.revenues[f.at[3]], s.revenues[f.at[4]]]::numeric(16, 2)[] AS revenues
  FROM (
    SELECT
      currency,
      count(*)::integer AS peers,
      array_agg(coalesce(last_day, '-infinity') ORDER BY coalesce(last_day, '-infinity')) AS days,
      array_agg(orders ORDER BY orders) AS orders,
      array_agg(coalesce(revenue, 0)::numeric(16, 2) ORDER BY coalesce(revenue, 0)::numeric(16, 2)) AS revenues
    FROM core.customer_totals
    WHERE shop_id = m.shop_id
    GROUP BY currency
  ) s
  -- The place of the last customer who is not above each fifth.
  CROSS JOIN LATERAL (
    SELECT ARRAY[greatest(s.peers - 1, 1) + 4, 2 * greatest(s.peers - 1, 1) + 4, 3 * greatest(s.peers - 1, 1) + 4,
      4 * greatest(s.peers - 1, 1) + 4] AS fifths
  ) p
  CROSS JOIN LATERAL (SELECT ARRAY[p.fifths[1] / 5, p.fifths[2] / 5, p.fifths[3] / 5, p.fifths[4] / 5] AS at) f
  OFFSET 0
) c;
CREATE OR REPLACE VIEW core.customer_cut_totals AS
SELECT * FROM core.customer_cuts c
WHERE NOT EXISTS (SELECT FROM ops.stale_customers s WHERE s.shop_id = c.shop_id)
UNION ALL SELECT * FROM core.customer_cut_recount;
--> statement-breakpoint
-- All in one statement, and so from one state of the tables: a mark that another transaction adds meanwhile stays.
CREATE OR REPLACE FUNCTION ops.refresh_summaries(OUT days bigint, OUT customers bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  -- One refresh at a time, and none while somebody changes what a sale is. Those who write orders do not wait.
  BEGIN
    LOCK TABLE ops.stale_days IN SHARE UPDATE EXCLUSIVE MODE;
  EXCEPTION WHEN lock_not_available THEN
    RETURN;
  END;
  WITH new_days AS MATERIALIZED (SELECT * FROM core.daily_recount WHERE day IS NOT NULL),
  new_paths AS MATERIALIZED (SELECT * FROM core.status_path_recount WHERE day IS NOT NULL),
  new_products AS MATERIALIZED (SELECT * FROM core.product_month_recount WHERE month IS NOT NULL),
  new_customers AS MATERIALIZED (SELECT * FROM core.customer_recount),
  new_cuts AS MATERIALIZED (SELECT * FROM core.customer_cut_recount),
  old_days AS (
    DELETE FROM core.daily_sums d USING (SELECT DISTINCT shop_id, day FROM ops.stale_days) s
    WHERE s.shop_id = d.shop_id AND s.day = d.day RETURNING 1
  ),
  old_paths AS (
    DELETE FROM core.status_paths p USING (SELECT DISTINCT shop_id, day FROM ops.stale_days) s
    WHERE s.shop_id = p.shop_id AND s.day = p.day RETURNING 1
  ),
  old_products AS (
    DELETE FROM core.product_months p
    USING (SELECT DISTINCT shop_id, date_trunc('month', day::timestamp)::date AS month FROM ops.stale_days) s
    WHERE s.shop_id = p.shop_id AND s.month = p.month RETURNING 1
  ),
  old_customers AS (
    DELETE FROM core.customer_sums c USING (SELECT DISTINCT shop_id, customer_key FROM ops.stale_customers) s
    WHERE s.shop_id = c.shop_id AND s.customer_key = c.customer_key RETURNING 1
  ),
  old_cuts AS (
    DELETE FROM core.customer_cuts c USING (SELECT DISTINCT shop_id FROM ops.stale_customers) s
    WHERE s.shop_id = c.shop_id RETURNING 1
  ),
  -- Counting what was deleted makes the deletion come first.
  put_days AS (INSERT INTO core.daily_sums SELECT n.* FROM (SELECT count(*) FROM old_days) o, new_days n),
  put_paths AS (INSERT INTO core.status_paths SELECT n.* FROM (SELECT count(*) FROM old_paths) o, new_paths n),
  put_products AS (INSERT INTO core.product_months SELECT n.* FROM (SELECT count(*) FROM old_products) o, new_products n),
  put_customers AS (INSERT INTO core.customer_sums SELECT n.* FROM (SELECT count(*) FROM old_customers) o, new_customers n),
  put_cuts AS (INSERT INTO core.customer_cuts SELECT n.* FROM (SELECT count(*) FROM old_cuts) o, new_cuts n),
  marked_days AS (DELETE FROM ops.stale_days RETURNING shop_id, day),
  marked_customers AS (DELETE FROM ops.stale_customers RETURNING shop_id, customer_key)
  SELECT (SELECT count(*) FROM (SELECT DISTINCT shop_id, day FROM marked_days) d),
    (SELECT count(*) FROM (SELECT DISTINCT shop_id, customer_key FROM marked_customers) c)
  INTO days, customers;
END $$;
--> statement-breakpoint
COMMENT ON TABLE ops.stale_days IS 'Days of which a sum is no longer right, as often as they were marked. Only ever added to, by triggers, until ops.refresh_summaries() counts them anew.';
COMMENT ON COLUMN ops.stale_days.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.stale_days.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON TABLE ops.stale_customers IS 'Customers of whom a sum is no longer right, as often as they were marked. Only ever added to, by triggers, until ops.refresh_summaries() counts them anew.';
COMMENT ON COLUMN ops.stale_customers.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.stale_customers.customer_key IS 'Customer, as in core.orders.';
COMMENT ON TABLE core.daily_sums IS 'Sums of the orders that are not deleted, by shop, day and currency. Right only where ops.stale_days has no mark: read core.daily_totals.';
COMMENT ON COLUMN core.daily_sums.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.daily_sums.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.daily_sums.currency IS 'Currency of the orders. NULL: not sent.';
COMMENT ON COLUMN core.daily_sums.orders IS 'Orders that are sales.';
COMMENT ON COLUMN core.daily_sums.revenue IS 'Sum of order_sum of sales. NULL: none has one.';
COMMENT ON COLUMN core.daily_sums.priced_orders IS 'Sales that have an order_sum.';
COMMENT ON COLUMN core.daily_sums.paid IS 'Sum of paid_amount of sales. NULL: none has one.';
COMMENT ON COLUMN core.daily_sums.items IS 'Sum of item_count of sales. NULL: none has one.';
COMMENT ON COLUMN core.daily_sums.customers IS 'Different customers of the sales.';
COMMENT ON COLUMN core.daily_sums.cancelled_orders IS 'Orders whose stage is cancelled.';
COMMENT ON COLUMN core.daily_sums.returned_orders IS 'Orders whose stage is returned.';
COMMENT ON COLUMN core.daily_sums.draft_orders IS 'Orders whose stage is draft.';
COMMENT ON COLUMN core.daily_sums.other_orders IS 'Orders that are no sale and of no such stage.';
COMMENT ON TABLE core.customer_sums IS 'Sums of the sales by shop, customer and currency. Right only where ops.stale_customers has no mark: read core.customer_totals.';
COMMENT ON COLUMN core.customer_sums.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.customer_sums.customer_key IS 'Customer, as in core.orders.';
COMMENT ON COLUMN core.customer_sums.currency IS 'Currency of the sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_sums.orders IS 'Number of sales.';
COMMENT ON COLUMN core.customer_sums.revenue IS 'Sum of order_sum. NULL: none has one.';
COMMENT ON COLUMN core.customer_sums.priced_orders IS 'Sales that have an order_sum.';
COMMENT ON COLUMN core.customer_sums.first_day IS 'Day of the first sale. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_sums.last_day IS 'Day of the latest sale. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_sums.new_on IS 'Day of the customer''s first sale in any currency, in the row of that currency. NULL: it was in another, or has no readable date.';
COMMENT ON COLUMN core.customer_sums.is_guest IS 'Whether no registered buyer is on any of the sales.';
COMMENT ON COLUMN core.customer_sums.buyer_oid IS 'Registered buyer, see core.users. NULL: a guest.';
COMMENT ON COLUMN core.customer_sums.months IS 'First days of the months with a sale, in order. NULL: no sale has a readable date.';
COMMENT ON COLUMN core.customer_sums.month_orders IS 'Number of sales in each of these months. NULL: no sale has a readable date.';
COMMENT ON COLUMN core.customer_sums.month_revenues IS 'Sum of order_sum in each of these months; NULL where no sale has one.';
COMMENT ON TABLE core.customer_cuts IS 'Values that part a shop''s customers in a currency into fifths. Right only where ops.stale_customers has no mark of the shop: read core.customer_cut_totals.';
COMMENT ON COLUMN core.customer_cuts.shop_id IS 'Shop of the customers.';
COMMENT ON COLUMN core.customer_cuts.currency IS 'Currency of their sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_cuts.days IS 'Days of the latest sale, four, above each of which one fifth more begins.';
COMMENT ON COLUMN core.customer_cuts.orders IS 'Numbers of sales, four likewise.';
COMMENT ON COLUMN core.customer_cuts.revenues IS 'Sums of the sales, four likewise.';
COMMENT ON TABLE core.product_months IS 'Sales with a product by shop and month. Right only where ops.stale_days has no mark in the month: read core.product_month_totals.';
COMMENT ON COLUMN core.product_months.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.product_months.month IS 'First day of the month in which the orders were placed.';
COMMENT ON COLUMN core.product_months.product_oid IS 'Product. NULL: the row is of all sales with any known product.';
COMMENT ON COLUMN core.product_months.orders IS 'Sales with at least one line of the product.';
COMMENT ON TABLE core.status_paths IS 'Orders that are not deleted by shop, day, status and earlier statuses. Right only where ops.stale_days has no mark: read core.status_path_totals.';
COMMENT ON COLUMN core.status_paths.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.status_paths.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.status_paths.status_code IS 'Status of the orders now.';
COMMENT ON COLUMN core.status_paths.earlier IS 'Other statuses in which the orders were observed before, sorted.';
COMMENT ON COLUMN core.status_paths.orders IS 'Number of orders.';
COMMENT ON VIEW core.stale_orders IS 'Orders of the days that are marked in ops.stale_days, and those without a day.';
COMMENT ON COLUMN core.stale_orders.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.stale_orders.day IS 'Day on which the order was placed. NULL: no readable date.';
COMMENT ON COLUMN core.stale_orders.order_id IS 'The shop''s order number.';
COMMENT ON COLUMN core.stale_orders.status_code IS 'Status of the order now.';
COMMENT ON COLUMN core.stale_orders.currency IS 'Currency of the order. NULL: not sent.';
COMMENT ON COLUMN core.stale_orders.customer_key IS 'Customer, as in core.orders.';
COMMENT ON COLUMN core.stale_orders.order_sum IS 'Order total. NULL: not sent or not readable.';
COMMENT ON COLUMN core.stale_orders.paid_amount IS 'Amount paid so far. NULL: not sent or not readable.';
COMMENT ON COLUMN core.stale_orders.item_count IS 'Number of items. NULL: not sent.';
COMMENT ON VIEW core.daily_recount IS 'What core.daily_sums ought to hold of the marked days, counted now.';
COMMENT ON VIEW core.daily_totals IS 'The sums of core.daily_sums, exact at every moment, and those of orders without a day.';
COMMENT ON VIEW core.customer_recount IS 'What core.customer_sums ought to hold of the marked customers, counted now.';
COMMENT ON VIEW core.customer_totals IS 'The sums of core.customer_sums, exact at every moment.';
COMMENT ON VIEW core.customer_cut_recount IS 'What core.customer_cuts ought to hold of shops with a marked customer, counted now.';
COMMENT ON VIEW core.customer_cut_totals IS 'The values of core.customer_cuts, exact at every moment.';
COMMENT ON VIEW core.product_month_recount IS 'What core.product_months ought to hold of months with a marked day, counted now.';
COMMENT ON VIEW core.product_month_totals IS 'The sums of core.product_months, exact at every moment, and those of orders without a day.';
COMMENT ON VIEW core.status_path_recount IS 'What core.status_paths ought to hold of the marked days, counted now.';
COMMENT ON VIEW core.status_path_totals IS 'The sums of core.status_paths, exact at every moment, and those of orders without a day.';
COMMENT ON FUNCTION ops.refresh_summaries() IS 'Counts anew what is marked as stale and takes the marks off. Returns how many days and customers that were; NULL where another refresh, or an edit of what a sale is, was still under way after 5 seconds. Figures do not depend on it, only how fast they are had.';
COMMENT ON FUNCTION ops.mark_everything() IS 'Marks every day and customer as stale: call it after orders were written with triggers switched off.';
DO $$
DECLARE
  copied record;
BEGIN
  FOR copied IN
    SELECT v.view, a.attname, col_description(a.attrelid, a.attnum) AS comment
    FROM (VALUES ('core.daily_sums', 'core.daily_recount'), ('core.daily_sums', 'core.daily_totals'),
      ('core.customer_sums', 'core.customer_recount'), ('core.customer_sums', 'core.customer_totals'),
      ('core.customer_cuts', 'core.customer_cut_recount'), ('core.customer_cuts', 'core.customer_cut_totals'),
      ('core.product_months', 'core.product_month_recount'), ('core.product_months', 'core.product_month_totals'),
      ('core.status_paths', 'core.status_path_recount'), ('core.status_paths', 'core.status_path_totals')) AS v(sums, view)
    JOIN pg_attribute a ON a.attrelid = v.sums::regclass AND a.attnum > 0
  LOOP
    EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', copied.view, copied.attname, copied.comment);
  END LOOP;
END $$;
--> statement-breakpoint
SELECT ops.mark_everything();
SELECT ops.refresh_summaries();
