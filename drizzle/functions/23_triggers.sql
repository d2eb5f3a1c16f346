-- Which function follows which writes. Every write, by whatever client, marks the days and customers whose sums it makes stale, in the same
-- transaction. The views read stored sums where there is no mark and recompute the rest, so they are exact at any time.
-- ops.refresh_summaries() stores the recomputed sums and removes the marks; it affects only speed. Marks are added, never updated, so
-- concurrent writers neither wait for each other nor lose a mark.
--
-- A load of new orders marks their days and customers in one statement, and sets order_sync.marks for the rest of its transaction, so
-- that the triggers skip the work. A Citus has no such triggers on tables that are spread over its nodes: see deploy/citus.sql.
DO $$
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    RETURN;
  END IF;
  CREATE OR REPLACE TRIGGER marks_added AFTER INSERT ON core.orders
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_orders();
  CREATE OR REPLACE TRIGGER marks_removed AFTER DELETE ON core.orders
  REFERENCING OLD TABLE AS written FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_orders();
  CREATE OR REPLACE TRIGGER marks_truncated AFTER TRUNCATE ON core.orders
  FOR EACH STATEMENT
  EXECUTE FUNCTION ops.mark_after_truncate();
  CREATE OR REPLACE TRIGGER marks_added AFTER INSERT ON core.order_lines
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_lines();
  CREATE OR REPLACE TRIGGER marks_changed AFTER UPDATE ON core.order_lines
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_lines();
  CREATE OR REPLACE TRIGGER marks_removed AFTER DELETE ON core.order_lines
  REFERENCING OLD TABLE AS written FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_lines();
  CREATE OR REPLACE TRIGGER marks_truncated AFTER TRUNCATE ON core.order_lines
  FOR EACH STATEMENT
  EXECUTE FUNCTION ops.mark_after_truncate();
  CREATE OR REPLACE TRIGGER marks_added AFTER INSERT ON core.order_history
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_history();
  CREATE OR REPLACE TRIGGER marks_changed AFTER UPDATE ON core.order_history
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_history();
  CREATE OR REPLACE TRIGGER marks_removed AFTER DELETE ON core.order_history
  REFERENCING OLD TABLE AS written FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_history();
  CREATE OR REPLACE TRIGGER marks_truncated AFTER TRUNCATE ON core.order_history
  FOR EACH STATEMENT
  EXECUTE FUNCTION ops.mark_after_truncate();
  CREATE OR REPLACE TRIGGER marks_added AFTER INSERT ON core.order_persons
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_persons();
  CREATE OR REPLACE TRIGGER marks_changed AFTER UPDATE ON core.order_persons
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_persons();
  CREATE OR REPLACE TRIGGER marks_removed AFTER DELETE ON core.order_persons
  REFERENCING OLD TABLE AS written FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.mark_persons();
  CREATE OR REPLACE TRIGGER marks_truncated AFTER TRUNCATE ON core.order_persons
  FOR EACH STATEMENT
  EXECUTE FUNCTION ops.mark_after_truncate();
  CREATE OR REPLACE TRIGGER marks_added AFTER INSERT OR DELETE ON core.order_form_fields
  FOR EACH ROW
  EXECUTE FUNCTION ops.mark_shown_source();
  CREATE OR REPLACE TRIGGER marks_changed AFTER UPDATE ON core.order_form_fields
  FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW)
  EXECUTE FUNCTION ops.mark_shown_source();
  CREATE OR REPLACE TRIGGER marks_changed AFTER UPDATE ON core.order_statuses
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION ops.mark_statuses();
  CREATE OR REPLACE TRIGGER notes_changed AFTER UPDATE ON core.order_statuses
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION ops.note_view_changes();
  CREATE OR REPLACE TRIGGER notes_changed AFTER UPDATE ON core.payment_statuses
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION ops.note_view_changes();
  CREATE OR REPLACE TRIGGER notes_changed AFTER UPDATE ON core.users
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION ops.note_view_changes();
  CREATE OR REPLACE TRIGGER notes_changed AFTER UPDATE ON core.user_groups
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION ops.note_view_changes();
  CREATE OR REPLACE TRIGGER notes_changed AFTER UPDATE ON core.shops
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION ops.note_view_changes();
  CREATE OR REPLACE TRIGGER notes_added AFTER INSERT ON core.user_groups
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT
  EXECUTE FUNCTION ops.note_new_group();
  CREATE OR REPLACE TRIGGER notes_added AFTER INSERT OR DELETE ON core.order_form_fields
  FOR EACH ROW WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.note_shown_field();
  CREATE OR REPLACE TRIGGER notes_changed AFTER UPDATE ON core.order_form_fields
  FOR EACH ROW WHEN (OLD.is_shown <> NEW.is_shown)
  EXECUTE FUNCTION ops.note_shown_field();
  CREATE OR REPLACE TRIGGER notes_added AFTER INSERT ON core.orders
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT
  EXECUTE FUNCTION ops.note_sales();
  CREATE OR REPLACE TRIGGER notes_removed AFTER DELETE ON core.orders
  REFERENCING OLD TABLE AS written FOR EACH STATEMENT WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made')
  EXECUTE FUNCTION ops.note_sales();
  CREATE OR REPLACE TRIGGER versions_kept AFTER UPDATE ON core.order_statuses
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION ops.keep_status_versions();
  CREATE OR REPLACE TRIGGER changes_followed AFTER UPDATE ON core.orders
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION ops.follow_order_changes();
END $$;
