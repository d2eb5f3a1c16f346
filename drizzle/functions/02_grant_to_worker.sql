-- Called again by `order-sync migrate`: the role may have been created later.
CREATE OR REPLACE FUNCTION ops.grant_to_worker() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  writes text := 'SELECT, INSERT, UPDATE, DELETE';
  place text;
BEGIN
  -- A Citus refuses to grant on tables that refer to one another in parallel. Without one, nothing reads this setting.
  PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'order_sync_worker') THEN
    RETURN;
  END IF;
  -- ANALYZE and VACUUM. Before PostgreSQL 17 only the owner may, and a worker's are skipped with a warning.
  IF current_setting('server_version_num')::int >= 170000 THEN
    writes := writes || ', MAINTAIN';
  END IF;
  FOR place IN
    SELECT nspname FROM pg_namespace
    WHERE nspname IN ('core', 'raw', 'ops') AND pg_has_role(nspowner, 'USAGE')
  LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO order_sync_worker', place);
    EXECUTE format('GRANT %s ON ALL TABLES IN SCHEMA %I TO order_sync_worker', writes, place);
    EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO order_sync_worker', place);
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT %s ON TABLES TO order_sync_worker', place, writes);
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT USAGE ON SEQUENCES TO order_sync_worker', place);
  END LOOP;
  -- Only those who apply migrations record them.
  REVOKE ALL ON ops.migrations FROM order_sync_worker;
  GRANT SELECT ON ops.migrations TO order_sync_worker;
  -- What BI may see of order forms is for people to decide. Rows of a deleted shop go.
  REVOKE INSERT, UPDATE ON core.order_form_fields FROM order_sync_worker;
  GRANT USAGE ON SCHEMA bi TO order_sync_worker;
  GRANT SELECT ON ALL TABLES IN SCHEMA bi TO order_sync_worker;
  ALTER DEFAULT PRIVILEGES IN SCHEMA bi GRANT SELECT ON TABLES TO order_sync_worker;
END $$;

COMMENT ON FUNCTION ops.grant_to_worker() IS 'Lets the role order_sync_worker read and write the rows of this warehouse. For the owner; safe to run again.';

SELECT ops.grant_to_worker();
