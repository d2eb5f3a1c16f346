-- A text as the shop's pages show it. Most have no entity, and cost no more than looking for one.
CREATE OR REPLACE FUNCTION ops.shown_text(sent text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN strpos(sent, '&') = 0 THEN sent ELSE ops.decode_entities(sent) END;
