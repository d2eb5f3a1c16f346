-- Which function follows which writes. Every write, by whatever client, marks the sums that it makes stale, keeps the
-- history and past reports, and moves changed_at, in the same transaction. The views read stored sums where there is no mark and recompute
-- the rest, so they are exact at any time. ops.refresh_summaries() stores the recomputed sums and removes the marks; it affects only speed.
-- Marks are added, never updated, so concurrent writers neither wait for each other nor lose a mark.
CREATE OR REPLACE FUNCTION ops.create_triggers() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_spread boolean := ops.is_spread();
  step text;
BEGIN
  -- Triggers of shards write to shards of the same shops only, which always move together. Without a Citus, nothing reads this setting.
  PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
  FOR step IN
    SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass)
    FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid JOIN pg_proc p ON p.oid = tgfoid
    WHERE NOT tgisinternal AND tgparentid = 0 AND relnamespace = 'core'::regnamespace AND pronamespace = 'ops'::regnamespace
      AND NOT (is_spread AND relname ~ '_\d{6,}$')
    UNION ALL
    SELECT format('CREATE TRIGGER %I AFTER %s ON core.%I REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION ops.%1$I()',
      'follow_' || followed || '_' || lower(event), event, relation, rows)
    FROM (VALUES
      ('orders', 'orders', '{INSERT,UPDATE,DELETE}'::text[]), ('orders', 'states', '{UPDATE}'),
      ('order_lines', 'lines', '{INSERT,UPDATE,DELETE}'), ('order_persons', 'persons', '{INSERT,UPDATE,DELETE}'),
      ('order_history', 'history', '{INSERT,UPDATE,DELETE}'), ('order_form_fields', 'fields', '{INSERT,UPDATE,DELETE}'),
      ('order_statuses', 'statuses', '{UPDATE}'), ('payment_statuses', 'payments', '{UPDATE}'), ('users', 'users', '{UPDATE}'),
      ('user_groups', 'groups', '{INSERT,UPDATE}'), ('shops', 'shops', '{UPDATE}')) AS f(relation, followed, events)
    CROSS JOIN (VALUES
      ('INSERT', 'NEW TABLE AS written'), ('UPDATE', 'OLD TABLE AS old_rows NEW TABLE AS written'), ('DELETE', 'OLD TABLE AS written')) AS e(event, rows)
    -- What is on every node is near the shards of no shop.
    WHERE event = ANY (events) AND NOT (is_spread AND relation = 'shops')
    UNION ALL
    SELECT format('CREATE TRIGGER truncated AFTER TRUNCATE ON core.%I FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_after_truncate()', relation)
    FROM unnest('{orders,order_lines,order_persons,order_history}'::text[]) AS relation WHERE NOT is_spread
    UNION ALL
    SELECT 'CREATE TRIGGER stamped BEFORE UPDATE ON core.orders
      FOR EACH ROW WHEN (NEW.changed_at = OLD.changed_at) EXECUTE FUNCTION ops.stamp_order()'
    UNION ALL
    -- By the clock of the node, so that all times of a shop are of one clock.
    SELECT 'CREATE TRIGGER stamped_new BEFORE INSERT ON core.orders FOR EACH ROW EXECUTE FUNCTION ops.stamp_order()' WHERE is_spread
  LOOP
    EXECUTE step;
  END LOOP;
END $$;

SELECT ops.create_triggers();

-- Functions of former triggers.
DROP FUNCTION IF EXISTS ops.mark_loaded(integer, json), ops.mark_orders(), ops.mark_lines(), ops.mark_persons(), ops.mark_history(),
  ops.mark_shown_source(), ops.note_shown_field(), ops.note_sales(), ops.stamp_orders(integer[], bigint[]),
  ops.mark_days_of(integer[], bigint[], boolean), ops.mark_statuses(), ops.keep_status_versions(), ops.note_new_group(), ops.follow_parts(),
  ops.follow_orders(), ops.follow_order_changes(), ops.follow_states(), ops.follow_shown_fields(), ops.note_view_changes();
