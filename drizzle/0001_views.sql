-- The views analysts read, in schemas of their own: `bi` without personal data, `bi_pii` with it (empty so far).
-- A later migration that changes a view repeats this pattern: drop the dependants in reverse order, create, comment.
-- Every view reads bi.orders, so that "sale", "deleted" and the shop's own day are defined once. A filter on order_date
-- reaches core.orders.created_on through every one of them, and joins nobody asked for are dropped by the planner.
CREATE SCHEMA IF NOT EXISTS bi;
CREATE SCHEMA IF NOT EXISTS bi_pii;
COMMENT ON SCHEMA bi IS 'Views for reports and BI tools: joins done, one meaning per column, no names, e-mails, phone numbers or addresses of buyers. Read this schema rather than core.';
COMMENT ON SCHEMA bi_pii IS 'Views with personal data of buyers, for the few who need to contact them. No view yet.';
--> statement-breakpoint
DROP VIEW IF EXISTS bi.completeness;
DROP VIEW IF EXISTS bi.customers;
DROP VIEW IF EXISTS bi.product_sales;
DROP VIEW IF EXISTS bi.daily_sales;
DROP VIEW IF EXISTS bi.order_lines;
DROP VIEW IF EXISTS bi.orders;
--> statement-breakpoint
CREATE VIEW bi.orders AS
SELECT
  o.shop_id,
  s.shop_key AS shop,
  o.order_id,
  o.created_on AS order_date,
  o.created_at,
  o.updated_at,
  o.status_code,
  coalesce(t.name_local, t.name) AS status,
  t.stage,
  t.is_sale AND o.deleted_at IS NULL AS is_sale,
  o.pay_status_code,
  coalesce(p.name_local, p.name) AS pay_status,
  o.color,
  o.currency,
  o.pay_method,
  o.order_sum,
  o.paid_amount,
  (coalesce(o.order_sum, 0) - coalesce(o.paid_amount, 0))::numeric(14, 2) AS amount_due,
  o.delivery_price,
  o.discount_raw,
  o.discount_percent,
  o.item_count,
  o.weight,
  o.delivery_id,
  o.delivery_name,
  o.customer_key,
  o.buyer_oid,
  o.is_guest,
  u.group_oid,
  g.name AS user_group,
  o.lines_state,
  o.missing_since IS NOT NULL AS is_missing,
  o.deleted_at IS NOT NULL AS is_deleted
FROM core.orders o
JOIN core.shops s USING (shop_id)
JOIN core.order_statuses t USING (shop_id, status_code)
JOIN core.payment_statuses p USING (shop_id, pay_status_code)
LEFT JOIN core.users u ON u.shop_id = o.shop_id AND u.user_oid = o.buyer_oid AND NOT o.is_guest
LEFT JOIN core.user_groups g ON g.shop_id = u.shop_id AND g.group_oid = u.group_oid;
--> statement-breakpoint
COMMENT ON VIEW bi.orders IS 'One row per order, also the cancelled, draft and deleted ones. For figures about sales filter on is_sale, and never add up different currencies.';
COMMENT ON COLUMN bi.orders.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.orders.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.orders.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.orders.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.orders.created_at IS 'Moment the order was placed. NULL: no readable date.';
COMMENT ON COLUMN bi.orders.updated_at IS 'Moment of the last change, as the shop reports it. NULL: not reported or not readable.';
COMMENT ON COLUMN bi.orders.status_code IS 'Status code as the shop sends it; empty text: the shop''s "no status", or none readable.';
COMMENT ON COLUMN bi.orders.status IS 'Name of the status: the shop''s own wording where it was entered, else English.';
COMMENT ON COLUMN bi.orders.stage IS 'Where the status stands in an order''s life: draft, open, fulfilment, delivered, cancelled, returned, other, or unknown for a code nobody has classified yet.';
COMMENT ON COLUMN bi.orders.is_sale IS 'True when the order counts as revenue: its status is marked as a sale and the shop has not deleted it.';
COMMENT ON COLUMN bi.orders.pay_status_code IS 'Payment status code as the shop sends it; empty text when it sends none.';
COMMENT ON COLUMN bi.orders.pay_status IS 'Name of the payment status: the shop''s own wording where it was entered, else English.';
COMMENT ON COLUMN bi.orders.color IS 'Colour mark that staff gave the order. NULL: none.';
COMMENT ON COLUMN bi.orders.currency IS 'Currency of every amount in the row, as the shop writes it. NULL: not sent.';
COMMENT ON COLUMN bi.orders.pay_method IS 'Code of the payment method. NULL: not chosen.';
COMMENT ON COLUMN bi.orders.order_sum IS 'Order total in the order''s currency. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.orders.paid_amount IS 'Amount paid so far, in the order''s currency. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.orders.amount_due IS 'Order total less the amount paid, an unknown one taken as 0; negative when overpaid.';
COMMENT ON COLUMN bi.orders.delivery_price IS 'Price of the delivery, in the order''s currency. NULL: not sent.';
COMMENT ON COLUMN bi.orders.discount_raw IS 'Discount on the order as the shop wrote it. NULL: none.';
COMMENT ON COLUMN bi.orders.discount_percent IS 'The discount in per cent (12.5 is 12.5 %) where it is one. NULL: none, or not a percentage.';
COMMENT ON COLUMN bi.orders.item_count IS 'Number of items in the order, as the shop counts them. NULL: not sent.';
COMMENT ON COLUMN bi.orders.weight IS 'Weight of the order in the shop''s own unit, which the shop does not name. NULL: not sent.';
COMMENT ON COLUMN bi.orders.delivery_id IS 'Number of the delivery method in the shop. NULL: none.';
COMMENT ON COLUMN bi.orders.delivery_name IS 'Name of the delivery method. NULL: none.';
COMMENT ON COLUMN bi.orders.customer_key IS 'Pseudonym of the buyer, to count customers by within a shop: u: a registered buyer, g: a guest recognized by a hashed contact, o: a guest without contact, for whom each order is a customer of its own.';
COMMENT ON COLUMN bi.orders.buyer_oid IS 'The shop''s number of the buyer; all guests share one, so count customers by customer_key. NULL: not sent.';
COMMENT ON COLUMN bi.orders.is_guest IS 'True when no registered buyer is on the order.';
COMMENT ON COLUMN bi.orders.group_oid IS 'The shop''s number of the registered buyer''s group. NULL: a guest, or the buyer is not known yet.';
COMMENT ON COLUMN bi.orders.user_group IS 'Name of the registered buyer''s group today, not at the time of the order. NULL: a guest, or no known group.';
COMMENT ON COLUMN bi.orders.lines_state IS 'Whether the order''s lines are up to date: ok; pending: not fetched yet; failed: the last attempt failed, lines fetched before stay, another attempt follows.';
COMMENT ON COLUMN bi.orders.is_missing IS 'True when the shop''s list no longer returned the order; a second look decides whether it is deleted.';
COMMENT ON COLUMN bi.orders.is_deleted IS 'True when the shop has deleted the order. It stays here but is no sale.';
--> statement-breakpoint
CREATE VIEW bi.order_lines AS
SELECT
  l.shop_id,
  o.shop,
  l.order_id,
  l.line_no,
  o.order_date,
  o.created_at,
  o.status_code,
  o.status,
  o.stage,
  o.is_sale,
  o.is_deleted,
  o.currency,
  o.customer_key,
  o.is_guest,
  l.line_oid,
  l.product_oid,
  l.spec_hash,
  l.code,
  l.product_name,
  l.sku,
  l.quantity,
  l.unit_price,
  l.line_total,
  l.list_price,
  l.list_total,
  -- A list total of 0 cannot be a price that was discounted: the shop sent none.
  (nullif(l.list_total, 0) - l.line_total)::numeric(14, 2) AS discount_amount,
  l.discount_raw,
  l.discount_percent AS discount_pct
FROM core.order_lines l
JOIN bi.orders o ON o.shop_id = l.shop_id AND o.order_id = l.order_id;
--> statement-breakpoint
COMMENT ON VIEW bi.order_lines IS 'One row per line of an order, with what is needed of the order. For figures about sales filter on is_sale. Orders whose lines are not loaded yet have none here: see lines_state in bi.orders.';
COMMENT ON COLUMN bi.order_lines.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.order_lines.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.order_lines.order_id IS 'The shop''s order number; unique within a shop.';
COMMENT ON COLUMN bi.order_lines.line_no IS 'Position of the line in its order, from 1.';
COMMENT ON COLUMN bi.order_lines.order_date IS 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.';
COMMENT ON COLUMN bi.order_lines.created_at IS 'Moment the order was placed. NULL: no readable date.';
COMMENT ON COLUMN bi.order_lines.status_code IS 'Status code of the order; empty text: the shop''s "no status", or none readable.';
COMMENT ON COLUMN bi.order_lines.status IS 'Name of the order''s status: the shop''s own wording where it was entered, else English.';
COMMENT ON COLUMN bi.order_lines.stage IS 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other or unknown.';
COMMENT ON COLUMN bi.order_lines.is_sale IS 'True when the order counts as revenue; a deleted one never does.';
COMMENT ON COLUMN bi.order_lines.is_deleted IS 'True when the shop has deleted the order.';
COMMENT ON COLUMN bi.order_lines.currency IS 'Currency of every amount in the row. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.customer_key IS 'Pseudonym of the buyer, as in bi.orders.';
COMMENT ON COLUMN bi.order_lines.is_guest IS 'True when no registered buyer is on the order.';
COMMENT ON COLUMN bi.order_lines.line_oid IS 'The shop''s key of the line: product number, underscore, hash of the chosen options. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.product_oid IS 'The shop''s number of the product. NULL: the line''s key held none.';
COMMENT ON COLUMN bi.order_lines.spec_hash IS 'Hash of the options chosen (size, colour and the like): tells variants of a product apart. NULL: none.';
COMMENT ON COLUMN bi.order_lines.code IS 'Code of the line in the shop. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.product_name IS 'Name of the product as written in this order. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.sku IS 'Article number. NULL: the product has none.';
COMMENT ON COLUMN bi.order_lines.quantity IS 'Quantity ordered. NULL: not readable.';
COMMENT ON COLUMN bi.order_lines.unit_price IS 'Price of one unit after discount. NULL: not readable.';
COMMENT ON COLUMN bi.order_lines.line_total IS 'Total of the line after discount. NULL: not readable.';
COMMENT ON COLUMN bi.order_lines.list_price IS 'Price of one unit before discount. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.list_total IS 'Total of the line before discount. NULL: not sent.';
COMMENT ON COLUMN bi.order_lines.discount_amount IS 'Total before discount less total after it. NULL: the total before discount is unknown or 0.';
COMMENT ON COLUMN bi.order_lines.discount_raw IS 'Discount on the line as the shop wrote it. NULL: none.';
COMMENT ON COLUMN bi.order_lines.discount_pct IS 'Discount on the line in per cent (12.5 is 12.5 %). NULL: none, or not a percentage.';
--> statement-breakpoint
CREATE VIEW bi.daily_sales AS
WITH activity AS (
  SELECT
    shop_id, shop, order_date, currency,
    count(*) FILTER (WHERE is_sale) AS orders,
    sum(order_sum) FILTER (WHERE is_sale) AS revenue,
    count(order_sum) FILTER (WHERE is_sale) AS priced_orders,
    sum(paid_amount) FILTER (WHERE is_sale) AS paid,
    sum(item_count) FILTER (WHERE is_sale) AS items,
    count(DISTINCT customer_key) FILTER (WHERE is_sale) AS customers,
    0::bigint AS new_customers,
    count(*) FILTER (WHERE stage = 'cancelled') AS cancelled_orders,
    count(*) FILTER (WHERE stage = 'returned') AS returned_orders,
    count(*) FILTER (WHERE stage = 'draft') AS draft_orders,
    count(*) FILTER (WHERE NOT is_sale AND stage NOT IN ('cancelled', 'returned', 'draft')) AS other_orders
  FROM bi.orders
  WHERE NOT is_deleted
  GROUP BY shop_id, shop, order_date, currency
),
-- Added as rows, not joined: so a filter on the date reaches this part as well, and a month asks the index about its
-- own customers only, where a first date per customer would need every order ever.
newcomers AS (
  SELECT
    shop_id, shop, order_date, currency,
    0::bigint AS orders,
    NULL::numeric AS revenue,
    0::bigint AS priced_orders,
    NULL::numeric AS paid,
    NULL::bigint AS items,
    0::bigint AS customers,
    count(DISTINCT customer_key) AS new_customers,
    0::bigint AS cancelled_orders,
    0::bigint AS returned_orders,
    0::bigint AS draft_orders,
    0::bigint AS other_orders
  FROM bi.orders o
  WHERE is_sale AND order_date IS NOT NULL AND NOT EXISTS (
    SELECT FROM bi.orders earlier
    WHERE earlier.shop_id = o.shop_id AND earlier.customer_key = o.customer_key
      AND earlier.is_sale AND earlier.order_date < o.order_date
  )
  GROUP BY shop_id, shop, order_date, currency
),
parts AS (SELECT * FROM activity UNION ALL SELECT * FROM newcomers)
SELECT
  shop_id, shop, order_date, currency,
  sum(orders)::bigint AS orders,
  coalesce(sum(revenue), 0)::numeric(16, 2) AS revenue,
  coalesce(sum(paid), 0)::numeric(16, 2) AS paid,
  (sum(revenue) / nullif(sum(priced_orders), 0))::numeric(16, 2) AS avg_order_value,
  coalesce(sum(items), 0)::bigint AS items,
  sum(customers)::bigint AS customers,
  sum(new_customers)::bigint AS new_customers,
  sum(cancelled_orders)::bigint AS cancelled_orders,
  sum(returned_orders)::bigint AS returned_orders,
  sum(draft_orders)::bigint AS draft_orders,
  sum(other_orders)::bigint AS other_orders
FROM parts
GROUP BY shop_id, shop, order_date, currency;
--> statement-breakpoint
COMMENT ON VIEW bi.daily_sales IS 'One row per shop, day and currency on which an order was placed. Money and customers are of sales alone; cancelled, returned, draft and other orders are counted beside them; deleted ones nowhere. Days without an order have no row.';
COMMENT ON COLUMN bi.daily_sales.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.daily_sales.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.daily_sales.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL gathers the orders without a readable date, so that totals agree with bi.orders.';
COMMENT ON COLUMN bi.daily_sales.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.daily_sales.orders IS 'Number of sales.';
COMMENT ON COLUMN bi.daily_sales.revenue IS 'Sum of the order totals of the sales; 0 when there were none.';
COMMENT ON COLUMN bi.daily_sales.paid IS 'What has been paid of these sales up to now, on whatever day it was paid.';
COMMENT ON COLUMN bi.daily_sales.avg_order_value IS 'Revenue per sale, over the sales whose total is known. NULL: no such sale. Over several days divide the sums rather than averaging this.';
COMMENT ON COLUMN bi.daily_sales.items IS 'Items in the sales, as the shop counts them.';
COMMENT ON COLUMN bi.daily_sales.customers IS 'Different customers with a sale on the day in the currency; does not add up over days or currencies. A guest without contact counts once per order.';
COMMENT ON COLUMN bi.daily_sales.new_customers IS 'Of these customers, the ones with no sale in the shop on any earlier day, in any currency; adds up over days. 0 in the row without a date.';
COMMENT ON COLUMN bi.daily_sales.cancelled_orders IS 'Orders of the day that are cancelled now.';
COMMENT ON COLUMN bi.daily_sales.returned_orders IS 'Orders of the day that are returned now.';
COMMENT ON COLUMN bi.daily_sales.draft_orders IS 'Orders of the day that are still being placed by the visitor.';
COMMENT ON COLUMN bi.daily_sales.other_orders IS 'Orders of the day that are neither sales nor any of the above: without a status, or with a status code nobody has classified. If it grows, look at core.order_statuses.';
--> statement-breakpoint
CREATE VIEW bi.product_sales AS
SELECT
  shop_id,
  shop,
  order_date,
  product_oid,
  (array_agg(product_name ORDER BY created_at DESC NULLS LAST, order_id DESC, line_no DESC)
    FILTER (WHERE product_name IS NOT NULL))[1] AS product_name,
  sku,
  currency,
  count(DISTINCT order_id) AS orders,
  coalesce(sum(quantity), 0)::numeric(16, 3) AS quantity,
  coalesce(sum(line_total), 0)::numeric(16, 2) AS revenue,
  (sum(line_total) FILTER (WHERE quantity IS NOT NULL)
    / nullif(sum(quantity) FILTER (WHERE line_total IS NOT NULL), 0))::numeric(16, 2) AS avg_unit_price,
  coalesce(sum(discount_amount), 0)::numeric(16, 2) AS discount_amount
FROM bi.order_lines
WHERE is_sale
-- Lines without a product number are kept apart by their name, or they would pass for one product.
GROUP BY shop_id, shop, order_date, product_oid, CASE WHEN product_oid IS NULL THEN product_name END, sku, currency;
--> statement-breakpoint
COMMENT ON VIEW bi.product_sales IS 'One row per shop, day, product, article number and currency, of sales alone. Filter on order_date and add up. Amounts are those of the lines: without delivery and without discounts on the order as a whole.';
COMMENT ON COLUMN bi.product_sales.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.product_sales.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.product_sales.order_date IS 'Day the orders were placed, in the shop''s time zone. NULL: orders without a readable date.';
COMMENT ON COLUMN bi.product_sales.product_oid IS 'The shop''s number of the product; group by it, names may change. NULL: the line held none; such rows are one per name.';
COMMENT ON COLUMN bi.product_sales.product_name IS 'Name of the product on the latest of the row''s orders; a renamed product keeps its old name on earlier days. NULL: none sent.';
COMMENT ON COLUMN bi.product_sales.sku IS 'Article number; variants of a product may have different ones. NULL: none.';
COMMENT ON COLUMN bi.product_sales.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.product_sales.orders IS 'Different sales that contain it; adds up over days, not over article numbers.';
COMMENT ON COLUMN bi.product_sales.quantity IS 'Units sold, of lines whose quantity could be read.';
COMMENT ON COLUMN bi.product_sales.revenue IS 'Sum of the line totals after discount.';
COMMENT ON COLUMN bi.product_sales.avg_unit_price IS 'Revenue per unit, after discount, weighted by quantity. NULL: no line with a known quantity and total.';
COMMENT ON COLUMN bi.product_sales.discount_amount IS 'Sum of the line totals before discount less those after it; lines with no total before discount count as 0.';
--> statement-breakpoint
CREATE VIEW bi.customers AS
SELECT
  shop_id,
  shop,
  customer_key,
  currency,
  min(order_date) AS first_order_date,
  max(order_date) AS last_order_date,
  count(*) AS orders,
  coalesce(sum(order_sum), 0)::numeric(16, 2) AS lifetime_revenue,
  avg(order_sum)::numeric(16, 2) AS avg_order_value,
  count(*) > 1 AS is_repeat,
  bool_and(is_guest) AS is_guest,
  -- A key stands for one buyer at most, so these are its one value, not a choice.
  max(group_oid) AS group_oid,
  max(user_group) AS user_group
FROM bi.orders
WHERE is_sale
GROUP BY shop_id, shop, customer_key, currency;
--> statement-breakpoint
COMMENT ON VIEW bi.customers IS 'One row per shop, customer and currency with at least one sale. Who bought in two currencies has two rows: count customers with count(DISTINCT customer_key) within a shop.';
COMMENT ON COLUMN bi.customers.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.customers.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.customers.customer_key IS 'Pseudonym of the buyer, as in bi.orders; a guest without contact is a new customer with every order.';
COMMENT ON COLUMN bi.customers.currency IS 'Currency of the row''s amounts. NULL: the shop sent none.';
COMMENT ON COLUMN bi.customers.first_order_date IS 'Day of the first sale in this currency, in the shop''s time zone. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customers.last_order_date IS 'Day of the latest sale in this currency, in the shop''s time zone. NULL: no sale has a readable date.';
COMMENT ON COLUMN bi.customers.orders IS 'Number of sales in this currency.';
COMMENT ON COLUMN bi.customers.lifetime_revenue IS 'Sum of the order totals of these sales.';
COMMENT ON COLUMN bi.customers.avg_order_value IS 'Revenue per sale, over the sales whose total is known. NULL: none is.';
COMMENT ON COLUMN bi.customers.is_repeat IS 'True when there is more than one sale in this currency.';
COMMENT ON COLUMN bi.customers.is_guest IS 'True when none of these sales has a registered buyer.';
COMMENT ON COLUMN bi.customers.group_oid IS 'The shop''s number of the registered buyer''s group. NULL: a guest, or no known group.';
COMMENT ON COLUMN bi.customers.user_group IS 'Name of the registered buyer''s group today. NULL: a guest, or no known group.';
--> statement-breakpoint
CREATE VIEW bi.completeness AS
WITH ledger_and_orders AS (
  SELECT
    shop_id, day, verified_at, orders_seen, attempts, last_error,
    0::bigint AS warehouse_orders, 0::bigint AS missing_orders
  FROM ops.days
  UNION ALL
  -- Orders may be in before their day is first written to the ledger: such a day is shown too.
  SELECT shop_id, created_on, NULL, NULL, 0::smallint, NULL, count(*), count(missing_since)
  FROM core.orders
  WHERE deleted_at IS NULL AND created_on IS NOT NULL
  GROUP BY shop_id, created_on
),
days AS (
  SELECT
    shop_id, day,
    max(verified_at) AS verified_at,
    max(orders_seen) AS orders,
    sum(warehouse_orders)::bigint AS warehouse_orders,
    sum(missing_orders)::bigint AS missing_orders,
    max(attempts) AS attempts,
    max(last_error) AS last_error
  FROM ledger_and_orders
  GROUP BY shop_id, day
)
SELECT
  d.shop_id,
  s.shop_key AS shop,
  d.day,
  a.age_days,
  d.verified_at,
  d.orders,
  d.warehouse_orders,
  d.missing_orders,
  d.verified_at IS NOT NULL AS is_verified,
  f.freshness_target,
  d.verified_at IS NULL OR d.verified_at <= now() - f.freshness_target AS is_due,
  d.attempts,
  d.last_error
FROM days d
JOIN core.shops s ON s.shop_id = d.shop_id
CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE s.timezone)::date - d.day AS age_days) a
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN a.age_days < 2 THEN interval '5 minutes'
    WHEN a.age_days < 14 THEN interval '1 hour'
    WHEN a.age_days < 60 THEN interval '6 hours'
    WHEN a.age_days < 400 THEN interval '1 day'
    ELSE interval '7 days'
  END AS freshness_target
) f;
--> statement-breakpoint
COMMENT ON VIEW bi.completeness IS 'One row per shop and day: when the day was last compared with the shop, and whether both held the same. A day that was never attempted and holds no order has no row.';
COMMENT ON COLUMN bi.completeness.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.completeness.shop IS 'Short name of the shop, as in the configuration.';
COMMENT ON COLUMN bi.completeness.day IS 'Calendar day in the shop''s time zone.';
COMMENT ON COLUMN bi.completeness.age_days IS 'How many days ago that was, by the shop''s own calendar; today is 0.';
COMMENT ON COLUMN bi.completeness.verified_at IS 'When the day was last read whole and found equal to this warehouse. NULL: not yet.';
COMMENT ON COLUMN bi.completeness.orders IS 'Orders the shop held on the day at that moment. NULL: not verified yet.';
COMMENT ON COLUMN bi.completeness.warehouse_orders IS 'Orders of the day held here now, without deleted ones.';
COMMENT ON COLUMN bi.completeness.missing_orders IS 'Of these, the ones the shop''s list no longer returned and whose deletion is not confirmed yet; they explain a difference between orders and warehouse_orders.';
COMMENT ON COLUMN bi.completeness.is_verified IS 'True when the day has been verified at least once.';
COMMENT ON COLUMN bi.completeness.freshness_target IS 'Longest time that should pass between verifications of a day of this age, by the default policy.';
COMMENT ON COLUMN bi.completeness.is_due IS 'True when the day was never verified or its verification is as old as freshness_target or older. Goes by the default policy also where another is configured.';
COMMENT ON COLUMN bi.completeness.attempts IS 'Attempts to verify the day that failed since the last success.';
COMMENT ON COLUMN bi.completeness.last_error IS 'Why the latest attempt failed. NULL: it did not fail.';
--> statement-breakpoint
-- Roles belong to the whole cluster: they may exist already, be made by another database at this moment, or be out of
-- reach of the migrating user, to whom a managed service may refuse CREATEROLE. None of that stops a migration.
DO $$
DECLARE
  reader text;
BEGIN
  FOREACH reader IN ARRAY ARRAY['bi_reader', 'bi_pii_reader'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = reader) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', reader);
      END IF;
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE NOTICE 'Role % was not created: % may not create roles.', reader, current_user
          USING HINT = 'Have an administrator create it, then grant it USAGE on the schema and SELECT on all its views.';
    END;
  END LOOP;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'bi_reader') THEN
    GRANT USAGE ON SCHEMA bi TO bi_reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA bi TO bi_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA bi GRANT SELECT ON TABLES TO bi_reader;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'bi_pii_reader') THEN
    GRANT USAGE ON SCHEMA bi_pii TO bi_pii_reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA bi_pii TO bi_pii_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA bi_pii GRANT SELECT ON TABLES TO bi_pii_reader;
  END IF;
END $$;
--> statement-breakpoint
DO $$
BEGIN
  IF 2 = (SELECT count(*) FROM pg_roles WHERE rolname IN ('bi_reader', 'bi_pii_reader'))
    AND NOT pg_has_role('bi_pii_reader', 'bi_reader', 'MEMBER') THEN
    GRANT bi_reader TO bi_pii_reader;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE NOTICE 'bi_pii_reader was not made a member of bi_reader: % may not grant that role.', current_user
      USING HINT = 'Have an administrator run: GRANT bi_reader TO bi_pii_reader';
END $$;
