-- What a status meant until it is classified otherwise.
CREATE OR REPLACE FUNCTION ops.keep_status_versions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO core.status_versions (shop_id, status_code, valid_until, valid_from, stage, is_sale)
  SELECT o.shop_id, o.status_code, clock_timestamp(),
    coalesce((SELECT max(v.valid_until) FROM core.status_versions v WHERE v.shop_id = o.shop_id AND v.status_code = o.status_code), '-infinity'),
    o.stage, o.is_sale
  FROM old_rows o JOIN new_rows n USING (shop_id, status_code)
  WHERE (o.stage, o.is_sale) IS DISTINCT FROM (n.stage, n.is_sale);
  RETURN NULL;
END $$;
