-- Distributes the tables of a warehouse over the nodes of a Citus, by shop. Run it on the coordinator, as the owner of the
-- tables, while no worker runs, and once more after each update of order-sync; see docs/scaling.md.
--   order-sync migrate && psql -v ON_ERROR_STOP=1 -f citus.sql "$DATABASE_URL" && order-sync migrate
-- The rows of core and raw, and the marks of what is to be recomputed, lie with their shop. The bookkeeping in ops stays on the
-- coordinator. core.shops is on every node.
BEGIN;
SET LOCAL client_min_messages = warning;
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

-- ======================================================================================================================
-- Tables
-- ======================================================================================================================
DO $$
DECLARE
  -- By name: a new table that refers to core.shops gets another oid when it no longer does.
  pending text[] := ARRAY(
    SELECT c.oid::regclass::text FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
    WHERE c.relkind = 'r' AND p.partmethod IS DISTINCT FROM 'h' AND c.oid <> 'core.shops'::regclass
      AND (c.relnamespace IN ('core'::regnamespace, 'raw'::regnamespace)
        OR c.oid = 'ops.stale_sums'::regclass)
    ORDER BY c.oid);
  pending_table text;
  old_views text;
  step text;
  keys text[];
BEGIN
  -- A table on the coordinator alone cannot refer to one that is on every node.
  FOR step IN
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint
    WHERE contype = 'f' AND connamespace = 'ops'::regnamespace AND confrelid = 'core.shops'::regclass
  LOOP
    EXECUTE step;
  END LOOP;
  IF pending = '{}' THEN
    RETURN;
  END IF;

  -- `order-sync migrate` creates them again. Without CASCADE, since views of your own may hang on them: drop those first.
  SELECT 'DROP VIEW ' || string_agg(oid::regclass::text, ', ') INTO old_views FROM pg_class
  WHERE relkind = 'v' AND relnamespace IN ('bi'::regnamespace, 'bi_pii'::regnamespace, 'core'::regnamespace);
  IF old_views IS NOT NULL THEN
    EXECUTE old_views;
  END IF;
  DELETE FROM ops.migrations WHERE starts_with(name, 'views/');

  -- It takes no statistics of expressions.
  DROP STATISTICS IF EXISTS core.orders_shown_currency;

  -- Tables that refer to one another are distributed one by one.
  keys := ARRAY(
    SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE contype = 'f' AND connamespace IN ('core'::regnamespace, 'raw'::regnamespace)
      AND NOT relation_is_a_known_shard(conrelid));
  FOR step IN
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
    FROM pg_constraint WHERE contype = 'f' AND connamespace IN ('core'::regnamespace, 'raw'::regnamespace)
      AND NOT relation_is_a_known_shard(conrelid)
  LOOP
    EXECUTE step;
  END LOOP;
  -- Those that mark what is to be recomputed would write to a table that is on another node.
  FOR step IN
    SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY (pending)
  LOOP
    EXECUTE step;
  END LOOP;

  IF NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'core.shops'::regclass AND repmodel = 't') THEN
    -- Such tables have no identity columns of this type.
    ALTER TABLE core.shops ALTER shop_id DROP IDENTITY;
    CREATE SEQUENCE core.shops_shop_id_seq AS integer OWNED BY core.shops.shop_id;
    PERFORM setval('core.shops_shop_id_seq', coalesce(max(shop_id), 0) + 1, false) FROM core.shops;
    ALTER TABLE core.shops ALTER shop_id SET DEFAULT nextval('core.shops_shop_id_seq');
    PERFORM create_reference_table('core.shops');
  END IF;
  FOREACH pending_table IN ARRAY pending LOOP
    PERFORM create_distributed_table(pending_table, 'shop_id');
    PERFORM truncate_local_data_after_distributing_table(pending_table);
  END LOOP;
  FOREACH step IN ARRAY keys LOOP
    EXECUTE step;
  END LOOP;
END $$;

-- ======================================================================================================================
-- What follows a change
-- ======================================================================================================================
-- A trigger runs on a shard, and reads and writes the shards of the same shops, which are always on the same node.
CREATE OR REPLACE FUNCTION ops.colocated_shard(relation regclass, shard bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('%I.%I', n.nspname, c.relname || '_' || theirs.shardid)
  FROM pg_dist_shard own
  JOIN pg_dist_shard theirs ON theirs.logicalrelid = relation AND theirs.shardminvalue = own.shardminvalue
  JOIN pg_class c ON c.oid = relation
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE own.shardid = shard
$$;

-- The history of orders, as ops.follow_orders() and ops.follow_states() keep it on one PostgreSQL. Which days were read stands on the
-- coordinator, so an entry says of the state before that it was still seen at the order's last change, not at a later reading of its day.
CREATE OR REPLACE FUNCTION ops.keep_history_on_shard(shard bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('WITH changed AS MATERIALIZED (
      SELECT n.*, n.observed_at = o.observed_at AS is_reread, greatest(h.observed_at, o.observed_at) AS not_before,
        h.seq, h.order_sum AS old_sum, h.paid_amount AS old_paid,
        CASE WHEN h.status_code = ''(hidden)'' AND (
          SELECT s.shown_code = ''(hidden)'' FROM %2$s s WHERE s.shop_id = n.shop_id AND s.status_code = n.status_code)
          THEN n.status_code ELSE h.status_code END AS old_status,
        CASE WHEN h.pay_status_code = ''(hidden)'' AND (
          SELECT s.shown_code = ''(hidden)'' FROM %3$s s WHERE s.shop_id = n.shop_id AND s.pay_status_code = n.pay_status_code)
          THEN n.pay_status_code ELSE h.pay_status_code END AS old_payment
      FROM old_rows o JOIN new_rows n USING (shop_id, order_id)
      JOIN %1$s h ON h.shop_id = n.shop_id AND h.order_id = n.order_id AND h.observed_until IS NULL
      WHERE (o.status_code, o.pay_status_code, o.order_sum, o.paid_amount)
        IS DISTINCT FROM (n.status_code, n.pay_status_code, n.order_sum, n.paid_amount)
    ), corrected AS (
      UPDATE %1$s h
      SET status_code = c.status_code, pay_status_code = c.pay_status_code, order_sum = c.order_sum, paid_amount = c.paid_amount
      FROM changed c
      WHERE h.shop_id = c.shop_id AND h.order_id = c.order_id AND h.seq = c.seq AND c.is_reread
    ), closed AS (
      UPDATE %1$s h
      SET status_code = c.old_status, pay_status_code = c.old_payment,
        observed_until = CASE WHEN (c.old_status, c.old_payment, c.old_sum, c.old_paid)
          IS DISTINCT FROM (c.status_code, c.pay_status_code, c.order_sum, c.paid_amount) THEN c.observed_at END
      FROM changed c
      WHERE h.shop_id = c.shop_id AND h.order_id = c.order_id AND h.seq = c.seq AND NOT c.is_reread
      RETURNING c.*, h.observed_until
    )
    INSERT INTO %1$s (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount, source_updated_at, not_before,
      observed_at, is_initial)
    SELECT shop_id, order_id, seq + 1, status_code, pay_status_code, order_sum, paid_amount, updated_at, not_before, observed_at, false
    FROM closed WHERE observed_until IS NOT NULL',
    ops.colocated_shard('core.order_history', shard), ops.colocated_shard('core.order_statuses', shard),
    ops.colocated_shard('core.payment_statuses', shard))
$$;

-- Marks what is to be recomputed, keeps the history, and moves changed_at of orders whose lines, persons or history change. The columns
-- that sums depend on are its argument. It marks at least what the triggers of one PostgreSQL mark.
CREATE OR REPLACE FUNCTION ops.mark_on_shard() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shard bigint := substring(TG_TABLE_NAME FROM '_([0-9]+)$');
  orders text := ops.colocated_shard('core.orders', shard);
  was text := format('SELECT %s FROM old_rows', TG_ARGV[0]);
  becomes text := format('SELECT %s FROM new_rows', TG_ARGV[0]);
  changed text := CASE TG_OP
    WHEN 'UPDATE' THEN format('(%1$s EXCEPT %2$s) UNION ALL (%2$s EXCEPT %1$s)', was, becomes)
    WHEN 'INSERT' THEN becomes
    ELSE was
  END;
  mark text := format('INSERT INTO %s (shop_id, day, month, customer_key)
    SELECT DISTINCT shop_id, created_on, date_trunc(''month'', created_on::timestamp)::date, customer_key FROM touched',
    ops.colocated_shard('ops.stale_sums', shard));
BEGIN
  CASE regexp_replace(TG_TABLE_NAME, '_[0-9]+$', '')
    WHEN 'orders' THEN
      EXECUTE format('WITH touched AS (%s) %s', changed, mark);
      IF TG_OP = 'UPDATE' THEN
        EXECUTE ops.keep_history_on_shard(shard);
      ELSIF TG_OP = 'INSERT' THEN
        EXECUTE format('INSERT INTO %s (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount, source_updated_at,
            observed_at, is_initial)
          SELECT shop_id, order_id, 1, status_code, pay_status_code, order_sum, paid_amount, updated_at, first_seen_at, true FROM new_rows',
          ops.colocated_shard('core.order_history', shard));
      END IF;
    -- What counts as a sale.
    WHEN 'order_statuses' THEN
      EXECUTE format('WITH changed AS (%s), touched AS (
          SELECT o.shop_id, o.created_on, o.customer_key FROM (SELECT DISTINCT shop_id, status_code FROM changed) c
          JOIN %s o USING (shop_id, status_code)
        ) %s', changed, orders, mark);
    -- Which sources of orders the sums may hold.
    WHEN 'order_form_fields' THEN
      EXECUTE format('WITH changed AS (%s), touched AS (
          SELECT o.shop_id, o.created_on, NULL AS customer_key FROM (SELECT DISTINCT shop_id FROM changed WHERE field_key = ''source'') c
          JOIN %s o USING (shop_id)
        ) %s', changed, orders, mark);
    -- Lines, history and persons. The order is locked until the transaction ends, so that the day marked is the one that it then has.
    ELSE
      -- A state that follows the order itself is no change of its own.
      IF TG_TABLE_NAME NOT LIKE 'order\_history\_%' OR TG_OP = 'UPDATE' AND pg_trigger_depth() = 1 THEN
        -- The time is taken for what was written alone, before any row of another shop is looked at: it locks the shop.
        EXECUTE format('UPDATE %s o SET changed_at = w.at
          FROM (
            SELECT shop_id, order_id, ops.change_time(shop_id) AS at FROM (SELECT DISTINCT shop_id, order_id FROM %s) d
          ) w
          WHERE o.shop_id = w.shop_id AND o.order_id = w.order_id AND o.changed_at < w.at',
          orders, CASE TG_OP WHEN 'DELETE' THEN 'old_rows' ELSE 'new_rows' END);
      END IF;
      EXECUTE format('WITH changed AS (%s), touched AS MATERIALIZED (
          SELECT o.shop_id, o.created_on, NULL AS customer_key FROM (SELECT DISTINCT shop_id, order_id FROM changed) c
          JOIN %s o USING (shop_id, order_id) FOR SHARE OF o
        ) %s', changed, orders, mark);
  END CASE;
  RETURN NULL;
END $$;

SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
DECLARE
  marking record;
  step text;
BEGIN
  FOR step IN
    SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) FROM pg_trigger
    WHERE tgfoid IN ('ops.mark_on_shard'::regproc, 'ops.stamp_order'::regproc)
      AND tgname IN ('marks_added', 'marks_changed', 'marks_removed', 'stamped', 'stamped_new')
      AND tgrelid IN (SELECT logicalrelid FROM pg_dist_partition)
  LOOP
    EXECUTE step;
  END LOOP;
  FOR marking IN
    SELECT relation, event, name, columns,
      concat_ws(' ', CASE WHEN event <> 'INSERT' THEN 'OLD TABLE AS old_rows' END,
        CASE WHEN event <> 'DELETE' THEN 'NEW TABLE AS new_rows' END) AS rows
    FROM (VALUES
      ('core.orders', 'shop_id, order_id, created_on, customer_key, created_at, status_code, currency, order_sum, paid_amount, '
        'units, lines_total, list_total, delivery_price, discount_raw, discount_percent, is_guest, buyer_oid, deleted_at IS NULL'),
      ('core.order_persons', 'shop_id, order_id, fields #>> ''{source,value}'''),
      ('core.order_form_fields', 'shop_id, field_key, is_shown'),
      ('core.order_lines', 'shop_id, order_id, product_oid, sku'),
      ('core.order_history', 'shop_id, order_id, status_code, observed_until IS NULL'),
      ('core.order_statuses', 'shop_id, status_code, is_sale, stage')) AS t(relation, columns)
    CROSS JOIN (VALUES ('INSERT', 'marks_added'), ('UPDATE', 'marks_changed'), ('DELETE', 'marks_removed')) AS e(event, name)
    WHERE relation <> 'core.order_statuses' OR event = 'UPDATE'
  LOOP
    EXECUTE format(
      'CREATE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_on_shard(%L)',
      marking.name, marking.event, marking.relation, marking.rows, marking.columns);
  END LOOP;
  -- By the clock of the node: also of new rows, so that all times of a shop are of one clock.
  CREATE TRIGGER stamped_new BEFORE INSERT ON core.orders FOR EACH ROW EXECUTE FUNCTION ops.stamp_order();
  CREATE TRIGGER stamped BEFORE UPDATE ON core.orders
  FOR EACH ROW WHEN (NEW.changed_at = OLD.changed_at) EXECUTE FUNCTION ops.stamp_order();
END $$;

-- ======================================================================================================================
-- Recomputing what is marked
-- ======================================================================================================================
-- All rows of a shop are on one node, so a shop's sums and marks change for everyone at once. Sums are computed after the marks
-- were taken: what is written in between has marks of its own, which stay.
CREATE OR REPLACE FUNCTION ops.refresh_shop_summaries(shop integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  taken tid[];
  keys text[];
  sum record;
BEGIN
  -- Nobody changes what counts as a sale meanwhile. Marks that are locked stay on their node.
  PERFORM FROM core.order_statuses WHERE shop_id = shop FOR SHARE NOWAIT;
  SELECT array_agg(m.ctid) INTO taken FROM (SELECT s.ctid FROM ops.stale_sums s WHERE s.shop_id = shop FOR UPDATE) m;
  FOR sum IN
    SELECT s.*, format('%I = ANY ($2::%s[])', s.key, a.atttypid::regtype) AS is_taken
    FROM ops.sums() s JOIN pg_attribute a ON a.attrelid = ('core.' || s.stored)::regclass AND a.attname = s.key
  LOOP
    -- As values: it takes no rows by their place in the subquery of another statement.
    EXECUTE format('SELECT array_agg(DISTINCT %I)::text[] FROM ops.stale_sums WHERE shop_id = $1 AND ctid = ANY ($2)', sum.key)
    INTO keys USING shop, taken;
    EXECUTE format('DELETE FROM core.%I WHERE shop_id = $1 AND %s', sum.stored, sum.is_taken) USING shop, keys;
    EXECUTE format('INSERT INTO core.%I SELECT * FROM core.%I WHERE shop_id = $1 AND %s', sum.stored, sum.recount, sum.is_taken)
    USING shop, keys;
  END LOOP;
  DELETE FROM ops.stale_sums s WHERE s.shop_id = shop AND s.ctid = ANY (taken);
  RETURN coalesce(cardinality(taken), 0);
END $$;

CREATE OR REPLACE FUNCTION ops.refresh_summaries() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
  shop integer;
  shops integer[];
  marks bigint := 0;
BEGIN
  -- One refresh at a time.
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('ops.refresh_summaries'));
  EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
  END;
  SELECT array_agg(m.shop_id) INTO shops FROM (SELECT DISTINCT shop_id FROM ops.stale_sums) m;
  FOREACH shop IN ARRAY coalesce(shops, '{}') LOOP
    BEGIN
      marks := marks + ops.refresh_shop_summaries(shop);
    -- Somebody is changing what counts as a sale.
    EXCEPTION WHEN lock_not_available THEN
      CONTINUE;
    END;
  END LOOP;
  RETURN marks;
END $$;
COMMIT;
