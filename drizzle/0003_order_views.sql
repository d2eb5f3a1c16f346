-- More views about single orders: their extra fields, their observed life, and what follows from both.
-- From here on views are created or replaced, never dropped, and columns are only appended: views that analysts built on
-- these stay alive.
-- The fields are whatever the shop asked its buyers, so some hold personal data. There is no list of the harmless ones;
-- instead a value is hidden when the field's wording or the value's own shape gives reason to. In doubt it is hidden.
CREATE OR REPLACE VIEW bi.order_fields AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  f.key AS field_key,
  CASE WHEN NOT h.is_hidden THEN p.value END AS value,
  f.value ->> 'name' AS name,
  f.value ->> 'label' AS label,
  h.is_hidden,
  o.order_date,
  o.currency,
  o.order_sum,
  o.customer_key,
  o.is_sale,
  o.is_deleted
FROM core.orders c
JOIN bi.orders o ON o.shop_id = c.shop_id AND o.order_id = c.order_id
CROSS JOIN LATERAL jsonb_each(CASE WHEN jsonb_typeof(c.fields) = 'object' THEN c.fields END) f
CROSS JOIN LATERAL (
  SELECT
    nullif(btrim(f.value ->> 'value'), '') AS value,
    -- Words in lower case whatever the database's locale, which may know Latin letters only.
    translate(
      lower(concat(' ', f.key, ' ', f.value ->> 'name', ' ', f.value ->> 'label', ' ')),
      'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ_-./:,()0123456789', 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя' || repeat(' ', 18)
    ) AS wording
  -- Keeps the expressions from being copied into every place that uses them, and computed there again.
  OFFSET 0
) p
CROSS JOIN LATERAL (
  -- LIKE, since regular expressions with so many branches take ten times as long.
  SELECT p.value IS NOT NULL AND (
    -- The field asks for a person, a way to reach one, or free text.
    p.wording LIKE ANY (ARRAY[
      '%name%', '%fio%', '%contact%', '%kontakt%', '%person%', '%recipient%', '%receiver%', '%buyer%', '%customer%',
      '%client%', '%fon%', '%tel%', '%mobil%', '%whatsapp%', '%viber%', '%skype%', '%messenger%', '%mail%',
      '%pochta%', '%street%', '%house%', '%flat%', '%apart%', '%zip%', '%postcode%', '%postal%', '%comment%',
      '%koment%', '%note%', '%message%', '%remark%', '%wish%', '%greeting%', '%text%', '%birth%', '%passport%',
      '%iban%', '%company%', '%organisation%', '%organization%', '%login%', '%adres%', '%addres%', '%kommentar%',
      '%phone%'
    ])
    OR p.wording LIKE ANY (ARRAY[
      '%фио%', '%имя%', '%имен%', '%фамил%', '%отчеств%', '%контакт%', '%получател%', '%адресат%', '%покупател%',
      '%клиент%', '%заказчик%', '%кому%', '%кого%', '%телефон%', '%мобил%', '%ватсап%', '%вайбер%', '%телеграм%',
      '%мессенджер%', '%соцсет%', '%почт%', '%мейл%', '%мэйл%', '%мыло%', '%адрес%', '%улиц%', '%квартир%',
      '%подъезд%', '%этаж%', '%домофон%', '%индекс%', '%коммент%', '%примечан%', '%сообщен%', '%пожелан%',
      '%поздравлен%', '%открытк%', '%текст%', '%рожд%', '%паспорт%', '%организац%', '%компан%', '%реквизит%'
    ])
    OR p.wording LIKE ANY (ARRAY[
      '% vk %', '% inn %', '% for %', '% дом %', '% кв %', '% тел %', '% моб %', '% инн %', '% вк %'
    ])
    -- E-mail, link, several lines, something composed, free text.
    OR p.value LIKE ANY (ARRAY['%@%', '%://%', '%www.%', E'%\n%', E'%\r%', '%{%'])
    OR length(p.value) > 40
    -- Digits enough for a phone or document number, unless they are a date.
    OR length(p.value) - length(translate(p.value, '0123456789', '')) >= 7
      AND p.value ~ '[0-9]([ ().+/-]*[0-9]){6}'
      AND p.value !~ '^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}\.[0-9]{2}\.[0-9]{4})([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?$'
    -- Two to four capitalized words look like somebody's name, but not where the field asks for a choice.
    OR p.value LIKE '% %'
      AND p.value ~ '^[A-ZА-ЯЁÀ-Þ][^ 0-9]*( +[A-ZА-ЯЁÀ-Þ][^ 0-9]*){1,3}$'
      AND NOT p.wording LIKE ANY (ARRAY[
      '%source%', '%utm%', '%channel%', '%campaign%', '%promo%', '%coupon%', '%method%', '%type%', '%size%',
      '%color%', '%colour%', '%city%', '%region%', '%откуда%', '%источник%', '%канал%', '%реклам%', '%промо%',
      '%купон%', '%способ%', '%тип%', '%размер%', '%цвет%', '%город%', '%регион%'
      ])
  ) AS is_hidden
  OFFSET 0
) h;
--> statement-breakpoint
COMMENT ON VIEW bi.order_fields IS 'One row per order and field that the shop added to its order form. Values that may be personal data are hidden: fields whose key, name or label speaks of a person, contact, address, company, birth or comment (English or Russian), and values that look like an e-mail, link, phone number, a person''s name or free text above 40 characters. Who may see them finds all in bi_pii.order_contacts.';
COMMENT ON COLUMN bi.order_fields.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.order_fields.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.order_fields.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.order_fields.field_key IS 'Key of the field; group by it, names may change.';
COMMENT ON COLUMN bi.order_fields.value IS 'What the order says in the field, as text without blanks around it. NULL: nothing, or hidden, see is_hidden.';
COMMENT ON COLUMN bi.order_fields.name IS 'Name of the field. NULL: the shop sent none.';
COMMENT ON COLUMN bi.order_fields.label IS 'Name of the field in the shop''s language. NULL: the shop sent none.';
COMMENT ON COLUMN bi.order_fields.is_hidden IS 'True when there is a value, but one that may be personal data.';
COMMENT ON COLUMN bi.order_fields.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.order_fields.currency IS 'Currency of order_sum. NULL: not sent.';
COMMENT ON COLUMN bi.order_fields.order_sum IS 'Total of the whole order, the same in each of its rows: add it up for one field_key at a time. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_fields.customer_key IS 'Pseudonym of the buyer, as in bi.orders.';
COMMENT ON COLUMN bi.order_fields.is_sale IS 'True when the order counts as revenue; a deleted one never does.';
COMMENT ON COLUMN bi.order_fields.is_deleted IS 'True when the shop has deleted the order.';
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.sales_by_field AS
SELECT
  shop_id,
  shop,
  order_date,
  field_key,
  max(label) AS label,
  value,
  is_hidden,
  currency,
  count(*) AS orders,
  coalesce(sum(order_sum), 0)::numeric(16, 2) AS revenue,
  avg(order_sum)::numeric(16, 2) AS avg_order_value,
  count(DISTINCT customer_key) AS customers
FROM bi.order_fields
WHERE is_sale
GROUP BY shop_id, shop, order_date, field_key, value, is_hidden, currency;
--> statement-breakpoint
COMMENT ON VIEW bi.sales_by_field IS 'One row per shop, day, extra field of the order form, value and currency, of sales alone. Filter on field_key and order_date and add up; never add up different fields, since each order counts in every one that it has.';
COMMENT ON COLUMN bi.sales_by_field.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.sales_by_field.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.sales_by_field.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL: orders without a readable date.';
COMMENT ON COLUMN bi.sales_by_field.field_key IS 'Key of the field.';
COMMENT ON COLUMN bi.sales_by_field.label IS 'Name of the field in the shop''s language; of several, the last by alphabet. NULL: none sent.';
COMMENT ON COLUMN bi.sales_by_field.value IS 'Value of the field. NULL: nothing was entered, or the values may be personal data, see is_hidden.';
COMMENT ON COLUMN bi.sales_by_field.is_hidden IS 'True in the row that gathers all values hidden as possibly personal, by the rule of bi.order_fields.';
COMMENT ON COLUMN bi.sales_by_field.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.sales_by_field.orders IS 'Number of sales with this value.';
COMMENT ON COLUMN bi.sales_by_field.revenue IS 'Sum of the order totals of these sales.';
COMMENT ON COLUMN bi.sales_by_field.avg_order_value IS 'Revenue per sale, over the sales whose total is known. NULL: none is.';
COMMENT ON COLUMN bi.sales_by_field.customers IS 'Different customers of these sales; does not add up over days, values or currencies.';
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.order_history AS
SELECT
  h.shop_id,
  o.shop,
  h.order_id,
  h.seq,
  o.order_date,
  h.status_code,
  coalesce(t.name_local, t.name, h.status_code) AS status,
  coalesce(t.stage, 'unknown') AS stage,
  h.pay_status_code,
  coalesce(p.name_local, p.name, h.pay_status_code) AS pay_status,
  o.currency,
  h.order_sum,
  h.paid_amount,
  h.is_initial,
  h.observed_until IS NULL AS is_current,
  earlier.status_code AS previous_status_code,
  earlier.pay_status_code AS previous_pay_status_code,
  h.source_updated_at,
  h.not_before,
  h.observed_at,
  h.observed_until,
  (extract(epoch FROM h.observed_at - h.not_before) / 3600)::numeric(12, 2) AS uncertainty_hours,
  (extract(epoch FROM h.observed_until - h.observed_at) / 3600)::numeric(12, 2) AS observed_hours,
  o.is_deleted
FROM core.order_history h
JOIN bi.orders o ON o.shop_id = h.shop_id AND o.order_id = h.order_id
LEFT JOIN core.order_statuses t ON t.shop_id = h.shop_id AND t.status_code = h.status_code
LEFT JOIN core.payment_statuses p ON p.shop_id = h.shop_id AND p.pay_status_code = h.pay_status_code
LEFT JOIN core.order_history earlier
  ON earlier.shop_id = h.shop_id AND earlier.order_id = h.order_id AND earlier.seq = h.seq - 1;
--> statement-breakpoint
COMMENT ON VIEW bi.order_history IS 'One row per order and state it was observed in: status, payment status and amounts. The shop tells the present only, so a change is known to lie between not_before and observed_at, and what came and went between two looks is not here.';
COMMENT ON COLUMN bi.order_history.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.order_history.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.order_history.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.order_history.seq IS 'Position of the state in the order''s life, from 1. A status that comes back is a state of its own.';
COMMENT ON COLUMN bi.order_history.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.order_history.status_code IS 'Status code in this state; empty text: the shop''s "no status", or none readable.';
COMMENT ON COLUMN bi.order_history.status IS 'Name of the status: the shop''s own wording where it was entered, else English.';
COMMENT ON COLUMN bi.order_history.stage IS 'Stage of the status: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi.order_history.pay_status_code IS 'Payment status code in this state; empty text when the shop sends none.';
COMMENT ON COLUMN bi.order_history.pay_status IS 'Name of the payment status: the shop''s own wording where it was entered, else English.';
COMMENT ON COLUMN bi.order_history.currency IS 'Currency of the amounts: the one the order has today. NULL: not sent.';
COMMENT ON COLUMN bi.order_history.order_sum IS 'Order total in this state. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_history.paid_amount IS 'Amount paid in this state. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.order_history.is_initial IS 'True for the state in which the order was first seen; when it came into it is unknown.';
COMMENT ON COLUMN bi.order_history.is_current IS 'True for the state in which the order was last seen.';
COMMENT ON COLUMN bi.order_history.previous_status_code IS 'Status code of the state before; the same as status_code when only payment or amounts changed. NULL: the first state.';
COMMENT ON COLUMN bi.order_history.previous_pay_status_code IS 'Payment status code of the state before. NULL: the first state.';
COMMENT ON COLUMN bi.order_history.source_updated_at IS 'Moment of the order''s last change as the shop reported it when the state was first observed. NULL: not reported.';
COMMENT ON COLUMN bi.order_history.not_before IS 'Last moment at which the state before was still seen: the change came after it. NULL: the first state.';
COMMENT ON COLUMN bi.order_history.observed_at IS 'Moment at which the state was first seen: the change came before it.';
COMMENT ON COLUMN bi.order_history.observed_until IS 'Moment at which another state was first seen. NULL: it is the current state.';
COMMENT ON COLUMN bi.order_history.uncertainty_hours IS 'Hours from not_before to observed_at: how exactly the moment of the change is known. NULL: the first state.';
COMMENT ON COLUMN bi.order_history.observed_hours IS 'Hours from observed_at to observed_until. NULL: it is the current state.';
COMMENT ON COLUMN bi.order_history.is_deleted IS 'True when the shop has deleted the order since.';
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.status_funnel AS
WITH seen AS (
  SELECT shop_id, order_id, status_code, true AS is_now FROM core.orders WHERE deleted_at IS NULL
  UNION ALL
  SELECT h.shop_id, h.order_id, h.status_code, false
  FROM core.order_history h
  JOIN core.orders o ON o.shop_id = h.shop_id AND o.order_id = h.order_id
  WHERE o.deleted_at IS NULL AND h.observed_until IS NOT NULL
)
SELECT
  t.shop_id,
  s.shop_key AS shop,
  CASE WHEN grouping(t.status_code) = 0 THEN 'status' ELSE 'stage' END AS level,
  t.stage,
  t.status_code,
  CASE WHEN grouping(t.status_code) = 0 THEN max(coalesce(t.name_local, t.name)) END AS status,
  min(t.stage_order) AS stage_order,
  count(DISTINCT seen.order_id) AS orders_reached,
  count(*) FILTER (WHERE seen.is_now) AS orders_now,
  coalesce(a.orders, 0) AS all_orders,
  (100.0 * count(DISTINCT seen.order_id) / a.orders)::numeric(7, 4) AS reached_percent,
  (100.0 * count(*) FILTER (WHERE seen.is_now) / a.orders)::numeric(7, 4) AS now_percent
FROM core.order_statuses t
JOIN core.shops s ON s.shop_id = t.shop_id
LEFT JOIN (
  SELECT shop_id, count(*) AS orders FROM core.orders WHERE deleted_at IS NULL GROUP BY shop_id
) a ON a.shop_id = t.shop_id
LEFT JOIN seen ON seen.shop_id = t.shop_id AND seen.status_code = t.status_code
GROUP BY GROUPING SETS ((t.shop_id, s.shop_key, a.orders, t.stage), (t.shop_id, s.shop_key, a.orders, t.stage, t.status_code));
--> statement-breakpoint
COMMENT ON VIEW bi.status_funnel IS 'One row per shop and stage (level stage), and one per shop and status (level status): how many orders were ever observed in it, and how many are in it now. Filter on level. An order that was first seen late in its life was never observed in the states before. Deleted orders are left out.';
COMMENT ON COLUMN bi.status_funnel.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.status_funnel.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.status_funnel.level IS 'What the row is about: stage, which takes its statuses together, or status.';
COMMENT ON COLUMN bi.status_funnel.stage IS 'Stage: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi.status_funnel.status_code IS 'Status code. NULL in the row of a stage.';
COMMENT ON COLUMN bi.status_funnel.status IS 'Name of the status: the shop''s own wording where it was entered, else English. NULL in the row of a stage.';
COMMENT ON COLUMN bi.status_funnel.stage_order IS 'For sorting: position in the usual course of an order. NULL: outside of it.';
COMMENT ON COLUMN bi.status_funnel.orders_reached IS 'Orders that were observed in it at any time, each counted once however often it came back.';
COMMENT ON COLUMN bi.status_funnel.orders_now IS 'Orders that are in it now.';
COMMENT ON COLUMN bi.status_funnel.all_orders IS 'All orders of the shop, without deleted ones: what the percentages are of.';
COMMENT ON COLUMN bi.status_funnel.reached_percent IS 'Part of all_orders that was ever observed in it, in per cent. NULL: the shop has no orders.';
COMMENT ON COLUMN bi.status_funnel.now_percent IS 'Part of all_orders that is in it now, in per cent. NULL: the shop has no orders.';
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.delivery_times AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  o.order_date,
  o.created_at,
  h.not_before,
  h.observed_at AS delivered_at,
  (extract(epoch FROM h.observed_at - o.created_at) / 86400)::numeric(12, 2) AS days_to_deliver,
  (extract(epoch FROM h.observed_at - h.not_before) / 3600)::numeric(12, 2) AS uncertainty_hours,
  o.delivery_id,
  o.delivery_name,
  o.currency,
  o.status_code,
  o.status,
  o.stage,
  o.is_sale
FROM bi.orders o
JOIN core.order_history h ON h.shop_id = o.shop_id AND h.order_id = o.order_id
JOIN core.order_statuses t ON t.shop_id = h.shop_id AND t.status_code = h.status_code
WHERE NOT o.is_deleted AND t.stage = 'delivered' AND NOT h.is_initial AND NOT EXISTS (
  SELECT FROM core.order_history earlier
  JOIN core.order_statuses its ON its.shop_id = earlier.shop_id AND its.status_code = earlier.status_code
  WHERE earlier.shop_id = h.shop_id AND earlier.order_id = h.order_id AND earlier.seq < h.seq
    AND its.stage = 'delivered'
);
--> statement-breakpoint
COMMENT ON VIEW bi.delivery_times IS 'One row per order that was seen to become delivered: how long that took. Orders first seen when already delivered have no row, since nobody knows when that was; deleted ones have none either. An order that was returned later keeps its row.';
COMMENT ON COLUMN bi.delivery_times.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.delivery_times.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.delivery_times.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.delivery_times.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.delivery_times.created_at IS 'Moment the order was placed. NULL: no readable date.';
COMMENT ON COLUMN bi.delivery_times.not_before IS 'Last moment at which the order was seen not delivered yet.';
COMMENT ON COLUMN bi.delivery_times.delivered_at IS 'Moment at which the order was first seen in a status of the stage delivered.';
COMMENT ON COLUMN bi.delivery_times.days_to_deliver IS 'Days of 24 hours from created_at to delivered_at; too long by uncertainty_hours at most. NULL: no readable date.';
COMMENT ON COLUMN bi.delivery_times.uncertainty_hours IS 'Hours from not_before to delivered_at: the order was delivered at some moment between.';
COMMENT ON COLUMN bi.delivery_times.delivery_id IS 'Number of the delivery method in the shop. NULL: none.';
COMMENT ON COLUMN bi.delivery_times.delivery_name IS 'Name of the delivery method. NULL: none.';
COMMENT ON COLUMN bi.delivery_times.currency IS 'Currency of the order. NULL: not sent.';
COMMENT ON COLUMN bi.delivery_times.status_code IS 'Status code that the order has now.';
COMMENT ON COLUMN bi.delivery_times.status IS 'Name of the status that the order has now.';
COMMENT ON COLUMN bi.delivery_times.stage IS 'Stage that the order is in now; returned where it came back.';
COMMENT ON COLUMN bi.delivery_times.is_sale IS 'True when the order counts as revenue now.';
