CREATE OR REPLACE FUNCTION ops.mark_after_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ops.mark_everything();
  RETURN NULL;
END $$;
