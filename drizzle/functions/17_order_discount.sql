-- The discount on an order as a whole: a percentage of its goods, or an amount. NULL: it is neither, or the goods are not known.
CREATE OR REPLACE FUNCTION ops.order_discount(raw text, percent numeric, list_total numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN raw IS NULL THEN 0
  WHEN percent IS NOT NULL THEN list_total * percent / 100
  WHEN raw ~ '^\s*\d{1,12}([.,]\d{1,2})?\s*$' THEN replace(btrim(raw), ',', '.')::numeric
END::numeric(22, 2);
