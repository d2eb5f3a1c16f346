-- Default privileges cover a new view only if the role existed when they were set and the same user creates the view. This
-- covers the rest. Each file in drizzle/views calls it.
CREATE OR REPLACE FUNCTION ops.grant_to_reader(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  reader text := (SELECT relnamespace::regnamespace || '_reader' FROM pg_class WHERE oid = relation);
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = reader) THEN
    EXECUTE format('GRANT SELECT ON %s TO %I', relation, reader);
  END IF;
END $$;
