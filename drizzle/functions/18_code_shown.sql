-- What bi shows of a code, or calls it: one that does not look like a code, by its number. One without a number held a person.
CREATE OR REPLACE FUNCTION ops.code_shown(shown text, code_no integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN shown = '(hidden)' THEN coalesce('#' || code_no::text, shown) ELSE shown END;
