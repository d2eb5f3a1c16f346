-- A text as the shop's pages show it. Most have no entity, or those of htmlspecialchars() alone, and cost no more than a few searches.
CREATE OR REPLACE FUNCTION ops.shown_text(sent text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN strpos(sent, '&') = 0 THEN sent
  WHEN sent !~ '&(?!(?:amp|quot|lt|gt|nbsp|#039);)' THEN replace(replace(replace(replace(replace(replace(
    sent, '&quot;', '"'), '&#039;', ''''), '&lt;', '<'), '&gt;', '>'), '&nbsp;', chr(160)), '&amp;', '&')
  ELSE ops.decode_entities(sent)
END;
