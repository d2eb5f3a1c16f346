-- Which function follows which writes. Every write, by whatever client, marks the sums that it makes stale, keeps the
-- history and past reports, and moves changed_at, in the same transaction. The views read stored sums where there is no mark and recompute
-- the rest, so they are exact at any time. ops.refresh_summaries() stores the recomputed sums and removes the marks; it affects only speed.
-- Marks are added, never updated, so concurrent writers neither wait for each other nor lose a mark.
--
-- A Citus has no such triggers on tables that are spread over its nodes: see deploy/citus.sql.
DO $$
DECLARE
  step text;
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    RETURN;
  END IF;
  FOR step IN
    SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass)
    FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid JOIN pg_proc p ON p.oid = tgfoid
    WHERE NOT tgisinternal AND tgparentid = 0 AND relnamespace = 'core'::regnamespace AND pronamespace = 'ops'::regnamespace
  LOOP
    EXECUTE step;
  END LOOP;
  CREATE TRIGGER stamped BEFORE UPDATE ON core.orders
  FOR EACH ROW WHEN (NEW.changed_at = OLD.changed_at) EXECUTE FUNCTION ops.stamp_order();
  CREATE TRIGGER changes_followed AFTER UPDATE ON core.orders
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.follow_order_changes();
  CREATE TRIGGER states_followed AFTER UPDATE ON core.orders
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.follow_states();
  FOR step IN
    SELECT format('CREATE TRIGGER %I AFTER %s ON core.%I %s FOR EACH STATEMENT EXECUTE FUNCTION ops.%I()', name, event, relation, rows, function)
    FROM (VALUES
      ('orders', 'follow_orders', '{added,removed}'::text[]),
      ('order_lines', 'follow_parts', '{added,changed,removed}'),
      ('order_persons', 'follow_parts', '{added,changed,removed}'),
      ('order_history', 'follow_parts', '{added,changed,removed}')) AS f(relation, function, events)
    CROSS JOIN (VALUES
      ('added', 'INSERT', 'REFERENCING NEW TABLE AS written'),
      ('changed', 'UPDATE', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS written'),
      ('removed', 'DELETE', 'REFERENCING OLD TABLE AS written')) AS e(name, event, rows)
    WHERE name = ANY (events)
    UNION ALL
    SELECT format('CREATE TRIGGER truncated AFTER TRUNCATE ON core.%I FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_after_truncate()', relation)
    FROM unnest('{orders,order_lines,order_persons,order_history}'::text[]) AS relation
    UNION ALL
    SELECT format('CREATE TRIGGER %I AFTER UPDATE ON core.%I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
      EXECUTE FUNCTION ops.%1$I()', function, relation)
    FROM (VALUES
      ('order_statuses', 'mark_statuses'), ('order_statuses', 'keep_status_versions'), ('order_statuses', 'note_view_changes'),
      ('payment_statuses', 'note_view_changes'), ('users', 'note_view_changes'), ('user_groups', 'note_view_changes'),
      ('shops', 'note_view_changes')) AS f(relation, function)
  LOOP
    EXECUTE step;
  END LOOP;
  CREATE TRIGGER groups_noted AFTER INSERT ON core.user_groups
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ops.note_new_group();
  CREATE TRIGGER fields_followed AFTER INSERT OR UPDATE OR DELETE ON core.order_form_fields
  FOR EACH ROW EXECUTE FUNCTION ops.follow_shown_fields();
END $$;

-- Functions of former triggers.
DROP FUNCTION IF EXISTS ops.mark_loaded(integer, json), ops.mark_orders(), ops.mark_lines(), ops.mark_persons(), ops.mark_history(),
  ops.mark_shown_source(), ops.note_shown_field(), ops.note_sales();
