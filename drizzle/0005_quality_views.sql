-- Views about the copy itself, and those with personal data.
CREATE OR REPLACE VIEW bi.data_quality AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  o.order_date,
  o.status_code,
  o.status,
  o.stage,
  o.is_sale,
  o.currency,
  o.order_sum,
  l.line_count,
  l.lines_total::numeric(16, 2) AS lines_total,
  o.delivery_price,
  d.difference::numeric(16, 2) AS difference,
  o.item_count,
  l.quantity::numeric(16, 3) AS lines_quantity,
  o.lines_state,
  p.problems <> '' AS has_problem,
  nullif(p.problems, '') AS problems
FROM bi.orders o
CROSS JOIN LATERAL (
  SELECT
    count(*) AS line_count,
    count(*) FILTER (WHERE line_total IS NULL) AS unpriced,
    count(*) FILTER (WHERE quantity IS NULL) AS uncounted,
    CASE WHEN bool_and(line_total IS NOT NULL) THEN sum(line_total) END AS lines_total,
    CASE WHEN bool_and(quantity IS NOT NULL) THEN sum(quantity) END AS quantity
  FROM core.order_lines
  WHERE shop_id = o.shop_id AND order_id = o.order_id
) l
CROSS JOIN LATERAL (
  -- Lines that are not up to date prove nothing about the order's sum.
  SELECT CASE WHEN o.lines_state = 'ok' THEN o.order_sum - l.lines_total - coalesce(o.delivery_price, 0) END AS difference
) d
CROSS JOIN LATERAL (
  SELECT concat_ws(', ',
    CASE WHEN o.order_date IS NULL THEN 'no date' END,
    CASE WHEN o.currency IS NULL THEN 'no currency' END,
    CASE WHEN o.stage = 'unknown' THEN 'unknown status' END,
    CASE WHEN o.lines_state <> 'ok' THEN 'lines not loaded' END,
    CASE WHEN o.lines_state = 'ok' AND l.line_count = 0 THEN 'no lines' END,
    CASE WHEN l.unpriced > 0 THEN 'line without total' END,
    CASE WHEN l.uncounted > 0 THEN 'line without quantity' END,
    CASE WHEN o.order_sum IS NULL THEN 'no sum' END,
    CASE WHEN d.difference <> 0 AND d.difference + o.delivery_price = 0 THEN 'sum without delivery'
      WHEN d.difference <> 0 THEN 'sum differs' END,
    CASE WHEN o.lines_state = 'ok' AND o.item_count <> l.quantity THEN 'item count differs' END,
    CASE WHEN o.amount_due < 0 AND o.order_sum IS NOT NULL THEN 'overpaid' END
  ) AS problems
) p
WHERE NOT o.is_deleted;
--> statement-breakpoint
COMMENT ON VIEW bi.data_quality IS 'One row per order that the shop has not deleted: whether its figures agree with one another. Filter on has_problem. What the shop sent is shown as it is and never corrected.';
COMMENT ON COLUMN bi.data_quality.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.data_quality.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.data_quality.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.data_quality.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.data_quality.status_code IS 'Status code of the order; empty text: the shop''s "no status", or none readable.';
COMMENT ON COLUMN bi.data_quality.status IS 'Name of the order''s status: the shop''s own wording where it was entered, else English.';
COMMENT ON COLUMN bi.data_quality.stage IS 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi.data_quality.is_sale IS 'True when the order counts as revenue.';
COMMENT ON COLUMN bi.data_quality.currency IS 'Currency of every amount in the row. NULL: not sent.';
COMMENT ON COLUMN bi.data_quality.order_sum IS 'Order total as the shop sent it. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.data_quality.line_count IS 'Number of lines held.';
COMMENT ON COLUMN bi.data_quality.lines_total IS 'Sum of the line totals. NULL: there is no line, or one without a total.';
COMMENT ON COLUMN bi.data_quality.delivery_price IS 'Price of the delivery. NULL: not sent.';
COMMENT ON COLUMN bi.data_quality.difference IS 'Order total less lines_total and delivery_price: 0 where they agree. NULL: one of them is unknown or the lines are not up to date.';
COMMENT ON COLUMN bi.data_quality.item_count IS 'Number of items as the shop counts them. NULL: not sent.';
COMMENT ON COLUMN bi.data_quality.lines_quantity IS 'Sum of the lines'' quantities. NULL: there is no line, or one without a quantity.';
COMMENT ON COLUMN bi.data_quality.lines_state IS 'Whether the order''s lines are up to date: ok, pending or failed.';
COMMENT ON COLUMN bi.data_quality.has_problem IS 'True when there is at least one problem.';
COMMENT ON COLUMN bi.data_quality.problems IS 'What is wrong, with commas between: no date, no currency, unknown status, lines not loaded, no lines, line without total, line without quantity, no sum, sum without delivery (it equals the lines alone), sum differs, item count differs, overpaid. NULL: nothing.';
--> statement-breakpoint
CREATE OR REPLACE VIEW bi.sync_freshness AS
SELECT
  s.shop_id,
  s.shop_key AS shop,
  ledger.first_day,
  ledger.last_day,
  nullif(coalesce(ledger.first_gap - 1, ledger.last_day), ledger.first_day - 1) AS complete_through,
  runs.last_ok_at,
  runs.last_run_at,
  newest.verified_at AS newest_verified_at,
  -- Days after the last that any sweep knew of were never verified, and are in no table.
  days.due_days + greatest(0, coalesce(today.day - ledger.last_day, 0)) AS due_days,
  days.failing_days,
  orders.orders,
  orders.orders_missing,
  orders.orders_without_lines,
  rejections.open_rejections
FROM core.shops s
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date AS day) today
CROSS JOIN LATERAL (
  SELECT
    min(day) AS first_day,
    max(day) AS last_day,
    min(CASE WHEN verified_at IS NULL THEN day WHEN next_day > day + 1 THEN day + 1 END) AS first_gap
  FROM (
    SELECT day, verified_at, lead(day) OVER (ORDER BY day) AS next_day FROM ops.days WHERE shop_id = s.shop_id
  ) known
) ledger
LEFT JOIN ops.days newest ON newest.shop_id = s.shop_id AND newest.day = ledger.last_day
CROSS JOIN LATERAL (
  SELECT
    max(finished_at) FILTER (WHERE status = 'ok' AND kind IN ('sync', 'backfill')) AS last_ok_at,
    max(started_at) FILTER (WHERE kind IN ('sync', 'backfill')) AS last_run_at
  FROM ops.runs WHERE shop_id = s.shop_id
) runs
CROSS JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE is_due AND age_days >= 0) AS due_days,
    count(*) FILTER (WHERE attempts > 0) AS failing_days
  FROM bi.completeness WHERE shop_id = s.shop_id
) days
CROSS JOIN LATERAL (
  SELECT
    count(*) AS orders,
    count(missing_since) AS orders_missing,
    count(*) FILTER (WHERE lines_state <> 'ok') AS orders_without_lines
  FROM core.orders WHERE shop_id = s.shop_id AND deleted_at IS NULL
) orders
CROSS JOIN LATERAL (
  SELECT count(*) AS open_rejections FROM ops.rejections WHERE shop_id = s.shop_id AND resolved_at IS NULL
) rejections;
--> statement-breakpoint
COMMENT ON VIEW bi.sync_freshness IS 'One row per shop: how complete and how fresh its copy is. For single days see bi.completeness.';
COMMENT ON COLUMN bi.sync_freshness.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.sync_freshness.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.sync_freshness.first_day IS 'First day that was ever to be synchronized, in the shop''s time zone. NULL: no sweep yet.';
COMMENT ON COLUMN bi.sync_freshness.last_day IS 'Last such day: the one of the latest sweep. NULL: no sweep yet.';
COMMENT ON COLUMN bi.sync_freshness.complete_through IS 'Every day from first_day to this one has been verified. The latest day itself may have got more orders since, see newest_verified_at. NULL: first_day has not been verified.';
COMMENT ON COLUMN bi.sync_freshness.last_ok_at IS 'When a sweep last ended with all that it set out to do. NULL: never.';
COMMENT ON COLUMN bi.sync_freshness.last_run_at IS 'When the latest sweep began, however it ended. NULL: none yet.';
COMMENT ON COLUMN bi.sync_freshness.newest_verified_at IS 'When last_day was last verified. NULL: not yet.';
COMMENT ON COLUMN bi.sync_freshness.due_days IS 'Days to verify now, by the rule of bi.completeness, with those that began since last_day.';
COMMENT ON COLUMN bi.sync_freshness.failing_days IS 'Days whose latest attempt failed; bi.completeness tells why.';
COMMENT ON COLUMN bi.sync_freshness.orders IS 'Orders held, without deleted ones.';
COMMENT ON COLUMN bi.sync_freshness.orders_missing IS 'Of these, the ones the shop''s list no longer returned and whose deletion is not confirmed yet.';
COMMENT ON COLUMN bi.sync_freshness.orders_without_lines IS 'Of these, the ones whose lines are not loaded or not up to date.';
COMMENT ON COLUMN bi.sync_freshness.open_rejections IS 'Records and fields that could not be understood and wait for a decision.';
--> statement-breakpoint
COMMENT ON SCHEMA bi_pii IS 'Views with personal data of buyers, for the few who need to contact them. Their keys join with the views of bi.';
CREATE OR REPLACE VIEW bi_pii.order_contacts AS
SELECT
  o.shop_id,
  o.shop,
  o.order_id,
  o.order_date,
  o.customer_key,
  o.buyer_oid,
  o.is_guest,
  c.buyer_name,
  c.buyer_email,
  c.buyer_phone,
  c.buyer_address,
  c.comment,
  c.fields,
  o.status,
  o.stage,
  o.is_sale,
  o.is_deleted
FROM core.orders c
JOIN bi.orders o ON o.shop_id = c.shop_id AND o.order_id = c.order_id;
--> statement-breakpoint
COMMENT ON VIEW bi_pii.order_contacts IS 'One row per order, with what the buyer entered about himself. Personal data: use it to reach buyers, not in reports.';
COMMENT ON COLUMN bi_pii.order_contacts.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi_pii.order_contacts.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi_pii.order_contacts.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi_pii.order_contacts.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi_pii.order_contacts.customer_key IS 'Pseudonym of the buyer: joins with the views of bi.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_oid IS 'The shop''s number of the buyer; all guests share one. NULL: not sent.';
COMMENT ON COLUMN bi_pii.order_contacts.is_guest IS 'True when no registered buyer is on the order.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_name IS 'Name as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_email IS 'E-mail address as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_phone IS 'Phone number as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.buyer_address IS 'Address of the delivery as entered in the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.comment IS 'Comment on the order. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.fields IS 'All extra fields of the order as JSON: key to value, name and label; also those that bi.order_fields hides. NULL: none.';
COMMENT ON COLUMN bi_pii.order_contacts.status IS 'Name of the order''s status: the shop''s own wording where it was entered, else English.';
COMMENT ON COLUMN bi_pii.order_contacts.stage IS 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi_pii.order_contacts.is_sale IS 'True when the order counts as revenue; a deleted one never does.';
COMMENT ON COLUMN bi_pii.order_contacts.is_deleted IS 'True when the shop has deleted the order.';
--> statement-breakpoint
CREATE OR REPLACE VIEW bi_pii.users AS
SELECT
  u.shop_id,
  s.shop_key AS shop,
  u.user_oid,
  'u:' || u.user_oid AS customer_key,
  u.login,
  u.name,
  u.email,
  u.phone,
  u.org_name,
  u.gender,
  u.address,
  u.level,
  u.group_oid,
  g.name AS user_group,
  u.created_at,
  u.fetch_state,
  u.fetched_at
FROM core.users u
JOIN core.shops s ON s.shop_id = u.shop_id
LEFT JOIN core.user_groups g ON g.shop_id = u.shop_id AND g.group_oid = u.group_oid
-- The one account on which every guest's order is booked is nobody.
WHERE u.fetch_state <> 'guest';
--> statement-breakpoint
COMMENT ON VIEW bi_pii.users IS 'One row per registered user who ordered something. Personal data: use it to reach people, not in reports.';
COMMENT ON COLUMN bi_pii.users.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi_pii.users.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi_pii.users.user_oid IS 'The shop''s number of the user; buyer_oid in the views of orders.';
COMMENT ON COLUMN bi_pii.users.customer_key IS 'Pseudonym of the user: joins with the views of bi.';
COMMENT ON COLUMN bi_pii.users.login IS 'Name with which the user logs in. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.name IS 'Name of the user. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.email IS 'E-mail address. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.phone IS 'Phone number. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.org_name IS 'Organization that the user entered. NULL: none.';
COMMENT ON COLUMN bi_pii.users.gender IS 'Gender, in the shop''s own word. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.address IS 'Address of the user. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.level IS 'Level of the user in the shop, whose meaning is the shop''s own. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.group_oid IS 'The shop''s number of the user''s group. NULL: none, or the user was not fetched yet.';
COMMENT ON COLUMN bi_pii.users.user_group IS 'Name of that group. NULL: none known.';
COMMENT ON COLUMN bi_pii.users.created_at IS 'When the account was made. NULL: not sent.';
COMMENT ON COLUMN bi_pii.users.fetch_state IS 'Whether the user could be read: ok; pending: not asked for yet; failed: asked for again; not_found: the shop knows the user no more.';
COMMENT ON COLUMN bi_pii.users.fetched_at IS 'When the user was last asked for. NULL: not yet.';
--> statement-breakpoint
-- Default privileges cover these views where the same user made the schemas and the roles were there; elsewhere this does.
DO $$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT * FROM (VALUES ('bi', 'bi_reader'), ('bi_pii', 'bi_pii_reader')) AS pairs(schema, reader) LOOP
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = given.reader) THEN
      EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', given.schema, given.reader);
      EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', given.schema, given.reader);
      EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT ON TABLES TO %I', given.schema, given.reader);
    END IF;
  END LOOP;
END $$;
