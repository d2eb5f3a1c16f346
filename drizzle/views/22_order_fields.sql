-- The fields are whatever the shop asks its buyers, so some contain personal data. The owner's choice in
-- core.order_form_fields comes first. Without one, a value is hidden if the field's wording or the value's shape may suggest
-- a person. The words are English, German, Russian and some Ukrainian.
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
  -- Keeps the planner from copying the expressions to every place that uses them and computing them again.
  OFFSET 0
) f
LEFT JOIN core.order_form_fields chosen ON chosen.shop_id = c.shop_id AND chosen.field_key = f.key
-- Separate from the value: there are few wordings and many values, and PostgreSQL caches the result for each wording.
CROSS JOIN LATERAL (
  SELECT
    -- The field asks for a person, a contact, or free text. LIKE, because regular expressions with so many branches
    -- take ten times as long.
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
    -- Lower case regardless of the database's locale, which may know Latin letters only.
    SELECT translate(
      lower(' ' || f.key || ' ' || coalesce(f.name, '') || ' ' || coalesce(f.label, '') || ' '),
      'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЇЄҐÄÖÜ_-–./:,;()?!*"«»„“’&+=#№0123456789''',
      'абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґäöü' || repeat(' ', 35)
    ) AS wording
    OFFSET 0
  ) t
  OFFSET 0
) w
CROSS JOIN LATERAL (
  SELECT f.value IS NOT NULL AND coalesce(NOT chosen.is_shown,
    w.is_personal
    -- E-mail, link, several lines, structured text, free text.
    OR f.value LIKE ANY (ARRAY['%@%', '%://%', '%www.%', '%t.me/%', E'%\n%', E'%\r%', '%{%'])
    OR length(f.value) > 40
    -- Enough digits for a phone or document number, unless they are an amount, dates or times.
    OR d.digits >= 7
      AND f.value !~ '^[^0-9]*[0-9]{1,3}( ?[0-9]{3})*([.,][0-9]{2}| ?(₽|€|[$]|руб|rub|eur|usd|грн))[^0-9]*$'
      AND regexp_replace(
        f.value,
        '\m((19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]|[0-3]?[0-9]([./])[01]?[0-9]\3(19|20)[0-9]{2})(?![0-9])|[0-9]{1,2}:[0-9]{2}',
        'x', 'g'
      ) ~ '[0-9]([ ().+/-]*[0-9]){6}'
    -- Two to four capitalized words look like a person's name, unless the field asks for a choice.
    OR f.value LIKE '% %'
      AND f.value ~ '^[A-ZА-ЯЁІЇЄҐÀ-Þ][^ 0-9]*( +[A-ZА-ЯЁІЇЄҐÀ-Þ][^ 0-9]*){1,3}$'
      AND NOT w.is_choice
    -- A number and a word for a street or a house.
    OR coalesce(
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
      OR a.line LIKE '% г _% , _% 0%' AND a.line NOT LIKE ALL (ARRAY['%0 г %', '%0:0%']),
      false
    )
  ) AS is_hidden
  FROM (SELECT length(f.value) - length(translate(f.value, '0123456789', '')) AS digits OFFSET 0) d
  CROSS JOIN LATERAL (
    SELECT CASE WHEN d.digits > 0 AND length(f.value) - d.digits >= 4 THEN
      -- In lower case, each digit as 0, commas as words, single spaces.
      replace(replace(replace(translate(
        lower(' ' || f.value || ' '),
        'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЇЄҐÄÖÜ123456789-–./;()"«»№#''',
        'абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґäöü000000000' || repeat(' ', 13)
      ), ',', ' , '), '  ', ' '), '  ', ' ')
    END AS line
    OFFSET 0
  ) a
  OFFSET 0
) h;

COMMENT ON VIEW bi.order_fields IS 'One row per order and field that the shop added to its order form. Values that may be personal data are hidden, as a best effort: fields whose key, name or label mentions a person, contact, address, company, birth or comment (in English, German, Russian, and common words in Ukrainian), and values that look like an e-mail, link, phone number, street address, a person''s name or free text of more than 40 characters. To be sure, decide per field in core.order_form_fields. All values are in bi_pii.order_contacts, for those who may see them.';
COMMENT ON COLUMN bi.order_fields.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.order_fields.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.order_fields.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.order_fields.field_key IS 'Key of the field; group by it, because names may change.';
COMMENT ON COLUMN bi.order_fields.value IS 'Value of the field in the order, as trimmed text. NULL: nothing, or hidden, see is_hidden.';
COMMENT ON COLUMN bi.order_fields.name IS 'Name of the field. NULL: the shop sent none.';
COMMENT ON COLUMN bi.order_fields.label IS 'Name of the field in the shop''s language. NULL: the shop sent none.';
COMMENT ON COLUMN bi.order_fields.is_hidden IS 'True if there is a value, but it may be personal data, or core.order_form_fields hides the field.';
COMMENT ON COLUMN bi.order_fields.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.order_fields.currency IS 'Currency of order_sum. NULL: not sent.';
COMMENT ON COLUMN bi.order_fields.order_sum IS 'Total of the whole order, repeated in each of its rows: add it up for one field_key at a time. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_fields.customer_key IS 'Pseudonym of the buyer, as in bi.orders.';
COMMENT ON COLUMN bi.order_fields.is_sale IS 'True if the order counts as revenue; deleted ones never do.';
COMMENT ON COLUMN bi.order_fields.is_deleted IS 'True if the shop has deleted the order.';

SELECT ops.grant_to_reader('bi.order_fields');
