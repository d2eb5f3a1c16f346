CREATE TABLE "core"."order_form_fields" (
	"shop_id" integer NOT NULL,
	"field_key" text NOT NULL,
	"is_shown" boolean NOT NULL,
	CONSTRAINT "order_form_fields_shop_id_field_key_pk" PRIMARY KEY("shop_id","field_key")
);
--> statement-breakpoint
ALTER TABLE "core"."order_form_fields" ADD CONSTRAINT "order_form_fields_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
COMMENT ON TABLE core.order_form_fields IS 'Which extra fields of orders bi.order_fields and bi.sales_by_field show, and which they hide. Yours to edit, and empty until you do: a sync never writes it. A field without a row is hidden or shown by a rule that is best effort.';
COMMENT ON COLUMN core.order_form_fields.shop_id IS 'Shop whose order form has the field.';
COMMENT ON COLUMN core.order_form_fields.field_key IS 'Key of the field, exactly as in bi.order_fields.';
COMMENT ON COLUMN core.order_form_fields.is_shown IS 'True: every value of the field is shown, whatever it looks like. False: none ever is.';
--> statement-breakpoint
-- As before, but the owner's word comes first, and the rule knows German, some Ukrainian, and street addresses.
CREATE OR REPLACE VIEW bi.order_fields AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  f.key AS field_key,
  CASE WHEN NOT h.is_hidden THEN f.value END AS value,
  f.name,
  f.label,
  h.is_hidden,
  o.order_date,
  o.currency,
  o.order_sum,
  o.customer_key,
  o.is_sale,
  o.is_deleted
FROM core.orders c
JOIN bi.orders o ON o.shop_id = c.shop_id AND o.order_id = c.order_id
CROSS JOIN LATERAL (
  SELECT
    key,
    nullif(btrim(value ->> 'value'), '') AS value,
    value ->> 'name' AS name,
    value ->> 'label' AS label
  FROM jsonb_each(CASE WHEN jsonb_typeof(c.fields) = 'object' THEN c.fields END)
  -- Keeps the expressions from being copied into every place that uses them, and computed there again.
  OFFSET 0
) f
-- Apart from the value, since few wordings stand above many values: PostgreSQL remembers what was found for each.
CROSS JOIN LATERAL (
  SELECT
    (SELECT is_shown FROM core.order_form_fields WHERE shop_id = c.shop_id AND field_key = f.key) AS is_shown,
    -- The field asks for a person, a way to reach one, or free text. LIKE, since regular expressions with so many
    -- branches take ten times as long.
    t.wording LIKE ANY (ARRAY[
      '%name%', '%fio%', '%contact%', '%kontakt%', '%person%', '%recipient%', '%receiver%', '%buyer%', '%customer%',
      '%client%', '%fon%', '%phone%', '%tel%', '%mobil%', '%whatsapp%', '%viber%', '%skype%', '%messenger%',
      '%mail%', '%pochta%', '%street%', '%house%', '%flat%', '%apart%', '%zip%', '%postcode%', '%postal%',
      '%comment%', '%koment%', '%kommentar%', '%note%', '%message%', '%remark%', '%wish%', '%greeting%', '%text%',
      '%engrav%', '%birth%', '%passport%', '%iban%', '%company%', '%organisation%', '%organization%', '%login%',
      '%adres%', '%addres%', '%instagram%', '%facebook%', '%imya%', '%familiya%', '%otchestvo%', '%poluchatel%',
      '%pokupatel%', '%ulica%', '%ulitsa%', '%kvartira%', '%primechan%', '%anschrift%', '%strasse%', '%straße%',
      '%hausn%', '%wohnung%', '%stockwerk%', '%klingel%', '%postleit%', '%ansprech%', '%empfänger%', '%empfaenger%',
      '%abholer%', '%beschenkt%', '%besteller%', '%käufer%', '%kaeufer%', '%rufnummer%', '%geburt%', '%ausweis%',
      '%steuernum%', '%bemerk%', '%anmerk%', '%hinweis%', '%nachricht%', '%mitteilung%', '%gruß%', '%gruss%',
      '%widmung%', '%gravur%', '%firmenn%'
    ])
    OR t.wording LIKE ANY (ARRAY[
      '%фио%', '%имя%', '%имен%', '%фамил%', '%отчеств%', '%контакт%', '%получател%', '%адресат%', '%покупател%',
      '%клиент%', '%заказчик%', '%телефон%', '%мобил%', '%ватсап%', '%вотсап%', '%вайбер%', '%телег%', '%инстаг%',
      '%фейсбук%', '%никнейм%', '%логин%', '%мессенджер%', '%соцсет%', '%почт%', '%мейл%', '%мэйл%', '%мыло%',
      '%адрес%', '%улиц%', '%квартир%', '%подъезд%', '%этаж%', '%домофон%', '%индекс%', '%коммент%', '%примечан%',
      '%сообщен%', '%пожелан%', '%поздравлен%', '%просьб%', '%заметк%', '%открытк%', '%надпис%', '%гравир%',
      '%текст%', '%рожд%', '%паспорт%', '%организац%', '%компан%', '%фирма%', '%реквизит%', '%ім_я%', '%прізвищ%',
      '%батьков%', '%отримувач%', '%одержувач%', '%покупець%', '%покупц%', '%замовник%', '%клієнт%', '%вулиц%',
      '%будин%', '%під_їзд%', '%повідомлен%', '%приміт%', '%побажан%', '%привітан%', '%листівк%', '%народжен%',
      '%інстаг%'
    ])
    OR t.wording LIKE ANY (ARRAY[
      '% vk %', '% fb %', '% ig %', '% tg %', '% insta %', '% nick %', '% inn %', '% for %', '% who %', '% whom %',
      '% plz %', '% firma %', '% handy %', '% wer %', '% wem %', '% wen %', '% kund%', '% дом %', '% кв %', '% ул %',
      '% тел %', '% моб %', '% инн %', '% вк %', '% тг %', '% инста %', '% ник %', '% кто %', '% кого %', '% кому %',
      '% кем %', '% вул %', '% поверх %', '% хто %', '% інста %'
    ]) AS is_personal,
    t.wording LIKE ANY (ARRAY[
      '%source%', '%utm%', '%channel%', '%campaign%', '%promo%', '%coupon%', '%method%', '%type%', '%size%',
      '%color%', '%colour%', '%city%', '%region%', '%heard%', '%quelle%', '%kanal%', '%gutschein%', '%größe%',
      '%groesse%', '%farbe%', '%stadt%', '%erfahren%', '%откуда%', '%источник%', '%канал%', '%реклам%', '%промо%',
      '%купон%', '%способ%', '%тип%', '%размер%', '%цвет%', '%город%', '%регион%', '%узнал%', '%джерел%', '%звідки%',
      '%розмір%', '%колір%', '%місто%', '%дізнал%', '%find us%', '%found us%', '%about us%'
    ]) AS is_choice
  FROM (
    -- Words in lower case whatever the database's locale, which may know Latin letters only.
    SELECT translate(
      lower(concat(' ', f.key, ' ', f.name, ' ', f.label, ' ')),
      'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЇЄҐÄÖÜ_-–./:,;()?!*"«»„“’&+=#№0123456789''',
      'абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґäöü' || repeat(' ', 35)
    ) AS wording
    OFFSET 0
  ) t
  OFFSET 0
) w
CROSS JOIN LATERAL (
  SELECT f.value IS NOT NULL AND coalesce(NOT w.is_shown,
    w.is_personal
    -- E-mail, link, several lines, something composed, free text.
    OR f.value LIKE ANY (ARRAY['%@%', '%://%', '%www.%', '%t.me/%', E'%\n%', E'%\r%', '%{%'])
    OR length(f.value) > 40
    -- Digits enough for a phone or document number, unless they are an amount, dates or times.
    OR d.digits >= 7
      AND f.value !~ '^[^0-9]*[0-9]{1,3}( ?[0-9]{3})*([.,][0-9]{2}| ?(₽|€|[$]|руб|rub|eur|usd|грн))[^0-9]*$'
      AND regexp_replace(
        f.value,
        '\m((19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]|[0-3]?[0-9]([./])[01]?[0-9]\3(19|20)[0-9]{2})(?![0-9])|[0-9]{1,2}:[0-9]{2}',
        'x', 'g'
      ) ~ '[0-9]([ ().+/-]*[0-9]){6}'
    -- Two to four capitalized words look like somebody's name, but not where the field asks for a choice.
    OR f.value LIKE '% %'
      AND f.value ~ '^[A-ZА-ЯЁІЇЄҐÀ-Þ][^ 0-9]*( +[A-ZА-ЯЁІЇЄҐÀ-Þ][^ 0-9]*){1,3}$'
      AND NOT w.is_choice
    -- A number and a word that tells of a street or a house.
    OR d.digits > 0 AND length(f.value) - d.digits >= 4 AND (
      SELECT
        a.line LIKE ANY (ARRAY[
          '% ул %', '% улица %', '% вул %', '% пр т %', '% пр кт %', '% просп %', '% проспект %', '% пер %',
          '% переулок %', '% провулок %', '% бульвар %', '% б р %', '% шоссе %', '% мкр %', '% str %', '% street %',
          '% po box %', '% p o box %', '% rue %', '%вулиц%', '%набережн%', '% наб % 0%', '% пл % 0%', '% ш % 0%',
          '% дом 0%', '% кв 0%', '% корп 0%', '% буд 0%', '% оф 0%', '% 000000 , %', '%straße %', '%strasse %',
          '%str 0%', '%weg 0%', '%allee 0%', '%gasse 0%', '%platz 0%', '%postfach%', '%0 , 00000 %',
          '%0 , d 00000 %', '%0% % rd %', '%0% % road %', '%0% % ave %', '%0% % avenue %', '%0% % ln %',
          '%0% % lane %', '%0% % blvd %', '%0% % boulevard %'
        ])
        -- Not "3 д. 5 ч.", "2 x 5 St.", "2025 г., после 18:00".
        OR a.line LIKE '% д 0%' AND a.line NOT LIKE '%0 д 0%'
        OR a.line LIKE '%0% % st %' AND a.line NOT LIKE '%0 st %'
        OR a.line LIKE '% г _% , _% 0%' AND a.line NOT LIKE ALL (ARRAY['%0 г %', '%0:0%'])
      FROM (
        -- In lower case, each digit as 0, commas as words, single spaces.
        SELECT replace(replace(replace(translate(
          lower(concat(' ', f.value, ' ')),
          'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЇЄҐÄÖÜ123456789-–./;()"«»№#''',
          'абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґäöü000000000' || repeat(' ', 13)
        ), ',', ' , '), '  ', ' '), '  ', ' ') AS line
        OFFSET 0
      ) a
    )
  ) AS is_hidden
  FROM (SELECT length(f.value) - length(translate(f.value, '0123456789', '')) AS digits OFFSET 0) d
  OFFSET 0
) h;
--> statement-breakpoint
COMMENT ON VIEW bi.order_fields IS 'One row per order and field that the shop added to its order form. Values that may be personal data are hidden, by best effort: fields whose key, name or label speaks of a person, contact, address, company, birth or comment (in English, German, Russian, the commonest words in Ukrainian), and values that look like an e-mail, link, phone number, street address, a person''s name or free text above 40 characters. To be sure of a field, say in core.order_form_fields whether it is shown. Who may see hidden values finds all in bi_pii.order_contacts.';
COMMENT ON COLUMN bi.order_fields.is_hidden IS 'True when there is a value, but one that may be personal data, or in a field that core.order_form_fields hides.';
COMMENT ON VIEW bi.sales_by_field IS 'One row per shop, day, extra field of the order form, value and currency, of sales alone. Values that may be personal data are hidden as in bi.order_fields, by best effort unless core.order_form_fields has the field. Filter on field_key and order_date and add up; never add up different fields, since each order counts in every one that it has.';
COMMENT ON COLUMN bi.sales_by_field.is_hidden IS 'True in the row that gathers all hidden values of the field, see bi.order_fields.';
--> statement-breakpoint
-- A fifth begins with a value now, not above it, so that equals share the better score; and of fewer than five customers
-- there are no fifths. A currency without a row here has no scores. Numbers of sales are those of customers who came back,
-- since most bought once: among all, whoever did twice would be of the top fifths.
CREATE OR REPLACE VIEW core.customer_cut_recount AS
SELECT m.shop_id, c.currency, c.days, c.orders, c.revenues
FROM (SELECT DISTINCT shop_id FROM ops.stale_customers) m
CROSS JOIN LATERAL (
  SELECT
    s.currency,
    ARRAY[s.days[f.at[1]], s.days[f.at[2]], s.days[f.at[3]], s.days[f.at[4]]] AS days,
    ARRAY[s.orders[f.back[1]], s.orders[f.back[2]], s.orders[f.back[3]], s.orders[f.back[4]]] AS orders,
    ARRAY[s.revenues[f.at[1]], s.revenues[f.at[2]], s.revenues[f.at[3]], s.revenues[f.at[4]]]::numeric(16, 2)[] AS revenues
  FROM (
    SELECT
      currency,
      count(*)::integer AS peers,
      (count(*) FILTER (WHERE orders > 1))::integer AS returned,
      array_agg(coalesce(last_day, '-infinity') ORDER BY coalesce(last_day, '-infinity')) AS days,
      array_agg(orders ORDER BY orders) FILTER (WHERE orders > 1) AS orders,
      array_agg(coalesce(revenue, 0)::numeric(16, 2) ORDER BY coalesce(revenue, 0)::numeric(16, 2)) AS revenues
    FROM core.customer_totals
    WHERE shop_id = m.shop_id
    GROUP BY currency
    HAVING count(*) >= 5
  ) s
  -- The place of the first customer of each fifth but the lowest.
  CROSS JOIN LATERAL (
    SELECT
      ARRAY[1 + s.peers / 5, 1 + 2 * s.peers / 5, 1 + 3 * s.peers / 5, 1 + 4 * s.peers / 5] AS at,
      ARRAY[1 + s.returned / 5, 1 + 2 * s.returned / 5, 1 + 3 * s.returned / 5, 1 + 4 * s.returned / 5] AS back
  ) f
  OFFSET 0
) c;
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.customer_rfm AS
WITH scored AS (
  SELECT
    c.*,
    (now() AT TIME ZONE s.timezone)::date - c.last_order_date AS recency_days,
    -- NULL throughout where there are no cuts. Who bought once, or at an unknown time, is no better for being one of many.
    CASE WHEN c.last_order_date IS NOT NULL OR x.days IS NULL
      THEN 1 + (c.last_order_date >= x.days[1])::int + (c.last_order_date >= x.days[2])::int
        + (c.last_order_date >= x.days[3])::int + (c.last_order_date >= x.days[4])::int
      ELSE 1
    END::smallint AS recency_score,
    CASE WHEN c.orders > 1 OR x.orders IS NULL
      THEN 1 + (c.orders >= x.orders[1])::int + (c.orders >= x.orders[2])::int
        + (c.orders >= x.orders[3])::int + (c.orders >= x.orders[4])::int
      ELSE 1
    END::smallint AS frequency_score,
    (1 + (c.lifetime_revenue >= x.revenues[1])::int + (c.lifetime_revenue >= x.revenues[2])::int
      + (c.lifetime_revenue >= x.revenues[3])::int + (c.lifetime_revenue >= x.revenues[4])::int)::smallint AS monetary_score
  FROM bi.customers c
  JOIN core.shops s ON s.shop_id = c.shop_id
  LEFT JOIN core.customer_cut_totals x ON x.shop_id = c.shop_id AND x.currency IS NOT DISTINCT FROM c.currency
)
SELECT
  shop_id,
  shop,
  customer_key,
  currency,
  last_order_date,
  recency_days,
  orders AS frequency,
  lifetime_revenue AS monetary,
  recency_score,
  frequency_score,
  monetary_score,
  CASE WHEN monetary_score IS NOT NULL THEN concat(recency_score, frequency_score, monetary_score) END AS rfm_score,
  CASE
    WHEN monetary_score IS NULL THEN NULL
    WHEN recency_score >= 4 AND frequency_score >= 4 THEN 'champions'
    WHEN recency_score >= 3 AND frequency_score >= 3 THEN 'loyal'
    WHEN recency_score >= 4 AND orders = 1 THEN 'new'
    WHEN recency_score >= 4 THEN 'promising'
    WHEN recency_score = 3 THEN 'needs attention'
    WHEN frequency_score >= 4 THEN 'cannot lose'
    WHEN frequency_score = 3 THEN 'at risk'
    WHEN recency_score = 2 THEN 'hibernating'
    ELSE 'lost'
  END AS segment,
  is_guest
FROM scored;
--> statement-breakpoint
COMMENT ON VIEW bi.customer_rfm IS 'One row per shop, customer and currency with at least one sale: how recently, how often and for how much the customer bought, each scored from 1 to 5 against the shop''s customers in the currency. A score tells in which fifth of them a customer stands; equal customers get equal scores, that of the best among them. Fewer than five customers in a currency are not scored.';
COMMENT ON COLUMN bi.customer_rfm.recency_score IS 'From 1 for those who bought longest ago, or at an unknown time, to 5 for the latest buyers. NULL: fewer than five customers in the currency.';
COMMENT ON COLUMN bi.customer_rfm.frequency_score IS 'From 1 for the rarest to 5 for the most frequent buyers among the customers with more than one sale; those with one all get 1. NULL: fewer than five customers in the currency.';
COMMENT ON COLUMN bi.customer_rfm.monetary_score IS 'From 1 for the least revenue to 5 for the most. NULL: fewer than five customers in the currency.';
COMMENT ON COLUMN bi.customer_rfm.rfm_score IS 'The three scores in this order as one text, such as 543. NULL: fewer than five customers in the currency.';
COMMENT ON COLUMN bi.customer_rfm.segment IS 'By recency and frequency score: champions (both 4 or more), loyal (both 3 or more), new (recency 4 or more, one sale), promising (recency 4 or more), needs attention (recency 3); of the less recent: cannot lose (frequency 4 or more), at risk (frequency 3), hibernating (recency 2), lost. NULL: fewer than five customers in the currency.';
COMMENT ON TABLE core.customer_cuts IS 'Values that part a shop''s customers in a currency into fifths; no row for fewer than five customers. Right only where ops.stale_customers has no mark of the shop: read core.customer_cut_totals.';
COMMENT ON COLUMN core.customer_cuts.days IS 'Days of the latest sale, four, with each of which one fifth more begins.';
COMMENT ON COLUMN core.customer_cut_recount.days IS 'Days of the latest sale, four, with each of which one fifth more begins.';
COMMENT ON COLUMN core.customer_cut_totals.days IS 'Days of the latest sale, four, with each of which one fifth more begins.';
COMMENT ON COLUMN core.customer_cuts.orders IS 'Numbers of sales, four likewise, of customers with more than one; NULL where there is none.';
COMMENT ON COLUMN core.customer_cut_recount.orders IS 'Numbers of sales, four likewise, of customers with more than one; NULL where there is none.';
COMMENT ON COLUMN core.customer_cut_totals.orders IS 'Numbers of sales, four likewise, of customers with more than one; NULL where there is none.';
COMMENT ON VIEW bi.status_funnel IS 'One row per shop and stage (level stage), and one per shop and status (level status), with the number of orders that were observed in it: one that was first seen late in its life, as orders from before the first sweep are, was not observed in the earlier ones. Besides, how many are in it now. Filter on level. Deleted orders are left out.';
COMMENT ON COLUMN bi.orders.amount_due IS 'Order total less the amount paid; negative when overpaid. An amount that is not known counts as 0: leave out orders where order_sum is null when you add up what is due.';
--> statement-breakpoint
-- Has the cuts of every shop counted anew, and no customer: nobody has this key.
INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT shop_id, '' FROM core.shops;
SELECT ops.refresh_summaries();
