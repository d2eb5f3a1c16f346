-- A text with its HTML entities replaced, once: what is unknown stays as it is. src/normalize/shown-text.ts knows the same.
CREATE OR REPLACE FUNCTION ops.decode_entities(sent text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN (
  SELECT string_agg(
    CASE WHEN place = 1 THEN piece ELSE coalesce(shown || substr(piece, length(name) + 2), '&' || piece) END, '' ORDER BY place
  )
  FROM string_to_table(sent, '&') WITH ORDINALITY AS p (piece, place)
  CROSS JOIN LATERAL (
    SELECT substring(piece FROM '^(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,9});') AS name
  ) e
  CROSS JOIN LATERAL (
    SELECT CASE
      WHEN name ~ '^#[xX]' THEN ('x' || lpad(substr(name, 3), 8, '0'))::bit(32)::integer
      WHEN name ~ '^#' THEN substr(name, 2)::integer
      ELSE 159 + array_position(string_to_array(
      -- The Latin letters and signs from U+00A0 on, in order.
        'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' ||
        'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring ' ||
        'AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml ' ||
        'times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil ' ||
        'egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ' ||
        'ugrave uacute ucirc uuml yacute thorn yuml',
        ' '), name)
    END AS code
  ) c
  CROSS JOIN LATERAL (
    SELECT coalesce(
      '{"quot":"\"","amp":"&","apos":"''","lt":"<","gt":">","commat":"@","period":".","comma":",","colon":":",
      "semi":";","excl":"!","quest":"?","num":"#","percnt":"%","lpar":"(","rpar":")","lowbar":"_","plus":"+",
      "equals":"=","sol":"/","bsol":"\\","ast":"*","dollar":"$","ensp":"\u2002","emsp":"\u2003","thinsp":"\u2009",
      "zwnj":"\u200c","zwj":"\u200d","ndash":"\u2013","mdash":"\u2014","lsquo":"\u2018","rsquo":"\u2019",
      "sbquo":"\u201a","ldquo":"\u201c","rdquo":"\u201d","bdquo":"\u201e","lsaquo":"\u2039","rsaquo":"\u203a",
      "bull":"\u2022","hellip":"\u2026","euro":"\u20ac","trade":"\u2122","numero":"\u2116","minus":"\u2212",
      "prime":"\u2032","Prime":"\u2033","larr":"\u2190","rarr":"\u2192","hearts":"\u2665","#128":"\u20ac",
      "#130":"\u201a","#132":"\u201e","#133":"\u2026","#139":"\u2039","#145":"\u2018","#146":"\u2019",
      "#147":"\u201c","#148":"\u201d","#149":"\u2022","#150":"\u2013","#151":"\u2014","#153":"\u2122",
      "#155":"\u203a"}'::jsonb ->> name,
      CASE WHEN code BETWEEN 1 AND 1114111 AND code NOT BETWEEN 55296 AND 57343 THEN chr(code) END
    ) AS shown
  ) s
);
