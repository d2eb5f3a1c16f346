-- Users may refer to a group before it is known.
CREATE OR REPLACE FUNCTION ops.note_new_group() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ops.view_changes (shop_id, kind, key) SELECT shop_id, 'group', group_oid FROM written WHERE name IS NOT NULL;
  RETURN NULL;
END $$;
