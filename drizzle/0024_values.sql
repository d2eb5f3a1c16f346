-- Works with order-sync 0.1.0 and later.
-- A shop may count halves. The views that read a count are made anew by their files.
DROP VIEW IF EXISTS bi_pii.order_contacts;
DROP VIEW IF EXISTS bi.sync_freshness;
DROP VIEW IF EXISTS bi.completeness;
DROP VIEW IF EXISTS bi.cohorts_monthly;
DROP VIEW IF EXISTS bi.order_versions;
DROP VIEW IF EXISTS bi.group_sales;
DROP VIEW IF EXISTS bi.sales_by_hour;
DROP VIEW IF EXISTS bi.status_funnel;
DROP VIEW IF EXISTS bi.sales_by_field;
DROP VIEW IF EXISTS bi.product_sales;
DROP VIEW IF EXISTS bi.daily_sales;
DROP VIEW IF EXISTS core.status_path_totals;
DROP VIEW IF EXISTS core.status_path_recount;
DROP VIEW IF EXISTS bi.payments;
DROP VIEW IF EXISTS bi.returns;
DROP VIEW IF EXISTS bi.open_orders;
DROP VIEW IF EXISTS bi.delivery_times;
DROP VIEW IF EXISTS bi.data_quality;
DROP VIEW IF EXISTS bi.status_periods;
DROP VIEW IF EXISTS bi.order_history;
DROP VIEW IF EXISTS bi.order_fields;
DROP VIEW IF EXISTS bi.order_lines;
DROP VIEW IF EXISTS bi.orders;
DROP VIEW IF EXISTS bi.shops;
DROP VIEW IF EXISTS core.daily_totals;
DROP VIEW IF EXISTS core.daily_recount;
DROP VIEW IF EXISTS core.stale_orders;
DROP FUNCTION IF EXISTS bi.daily_sales_asof(timestamptz);
DROP FUNCTION IF EXISTS bi.daily_sales_changes(date, timestamptz);
--> statement-breakpoint
ALTER TABLE "core"."order_versions" ALTER COLUMN "item_count" SET DATA TYPE numeric(14, 3);--> statement-breakpoint
ALTER TABLE "core"."orders" ALTER COLUMN "item_count" SET DATA TYPE numeric(14, 3);--> statement-breakpoint
ALTER TABLE "core"."daily_sums" ALTER COLUMN "items" SET DATA TYPE numeric;
--> statement-breakpoint
-- One currency in small letters and capitals is one currency: such sums are made again.
INSERT INTO ops.stale_days (shop_id, day)
SELECT DISTINCT shop_id, day FROM core.daily_sums WHERE currency <> upper(currency)
UNION SELECT DISTINCT shop_id, day FROM core.status_paths WHERE currency <> upper(currency);
--> statement-breakpoint
INSERT INTO ops.stale_customers (shop_id, customer_key)
SELECT DISTINCT shop_id, customer_key FROM core.customer_sums WHERE currency <> upper(currency);
--> statement-breakpoint
-- A text with its HTML entities replaced, once: what is unknown stays as it is. src/normalize/shown-text.ts knows the same.
CREATE FUNCTION ops.decode_entities(sent text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
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
--> statement-breakpoint
-- A text as the shop's pages show it. Most have no entity, or those of htmlspecialchars() alone, and cost no more than a few searches.
CREATE FUNCTION ops.shown_text(sent text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN strpos(sent, '&') = 0 THEN sent
  WHEN sent !~ '&(?!(?:amp|quot|lt|gt|nbsp|#039);)' THEN replace(replace(replace(replace(replace(replace(
    sent, '&quot;', '"'), '&#039;', ''''), '&lt;', '<'), '&gt;', '>'), '&nbsp;', chr(160)), '&amp;', '&')
  ELSE ops.decode_entities(sent)
END;
