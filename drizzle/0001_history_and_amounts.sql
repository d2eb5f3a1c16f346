ALTER TABLE "core"."orders" ADD COLUMN "units" numeric(14, 3);--> statement-breakpoint
-- Before the rename: the triggers of until now know the column by its old name. Nothing changed in the shop, so nothing is marked.
SELECT set_config('order_sync.marks', 'made', true);--> statement-breakpoint
UPDATE core.orders o SET units = l.units
FROM (
  SELECT shop_id, order_id, sum(quantity) AS units FROM core.order_lines GROUP BY shop_id, order_id
  HAVING count(*) = count(quantity) AND abs(sum(quantity)) < 100000000000
) l
WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id;--> statement-breakpoint
SELECT set_config('order_sync.marks', '', true);--> statement-breakpoint
ALTER TABLE "core"."order_versions" RENAME COLUMN "item_count" TO "units";--> statement-breakpoint
-- What the lines were then was not kept.
UPDATE core.order_versions v SET units = o.units FROM core.orders o WHERE o.shop_id = v.shop_id AND o.order_id = v.order_id;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "history_from" date;--> statement-breakpoint
ALTER TABLE "core"."daily_sums" ADD COLUMN "goods" numeric;--> statement-breakpoint
ALTER TABLE "core"."daily_sums" ADD COLUMN "line_discount" numeric;--> statement-breakpoint
ALTER TABLE "core"."daily_sums" ADD COLUMN "order_discount" numeric;--> statement-breakpoint
ALTER TABLE "core"."daily_sums" ADD COLUMN "delivery" numeric;--> statement-breakpoint
ALTER TABLE "core"."daily_sums" ADD COLUMN "cancelled" numeric;--> statement-breakpoint
ALTER TABLE "core"."daily_sums" ADD COLUMN "returned" numeric;--> statement-breakpoint
INSERT INTO ops.stale_days (shop_id, day, with_products) SELECT DISTINCT shop_id, day, false FROM core.daily_sums;--> statement-breakpoint

-- The views show currencies in capitals. Without statistics of that, the planner takes any currency for a two hundredth of all orders, and
-- looks each of them up in a loop. A Citus takes no statistics of expressions.
DO $$
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
    CREATE STATISTICS core.orders_shown_currency ON (upper(currency)) FROM core.orders;
  END IF;
END $$;--> statement-breakpoint

-- Columns are renamed where they can be, so that what was built on them stays, and means the same.
ALTER VIEW IF EXISTS core.stale_orders RENAME COLUMN item_count TO units;--> statement-breakpoint
ALTER VIEW IF EXISTS bi.order_versions RENAME COLUMN item_count TO units;--> statement-breakpoint
ALTER VIEW IF EXISTS bi.orders RENAME COLUMN discount_amount TO order_discount;--> statement-breakpoint
ALTER VIEW IF EXISTS bi.order_lines RENAME COLUMN discount_amount TO line_discount;--> statement-breakpoint
ALTER VIEW IF EXISTS bi.product_sales RENAME COLUMN discount_amount TO line_discount;--> statement-breakpoint
ALTER VIEW IF EXISTS bi.group_sales RENAME COLUMN paid_amount TO paid;--> statement-breakpoint
ALTER VIEW IF EXISTS bi.customers RENAME COLUMN orders TO all_orders;--> statement-breakpoint
ALTER VIEW IF EXISTS bi.customers RENAME COLUMN currency_orders TO orders;--> statement-breakpoint
ALTER VIEW IF EXISTS bi.customer_rfm RENAME COLUMN orders TO all_orders;--> statement-breakpoint
-- Its columns were those of bi.orders.
DROP VIEW IF EXISTS bi.changed_orders;--> statement-breakpoint
-- It had the amount paid twice.
DROP VIEW IF EXISTS bi.daily_sales;--> statement-breakpoint
DROP FUNCTION IF EXISTS bi.daily_sales_asof(timestamptz);--> statement-breakpoint
DROP FUNCTION IF EXISTS bi.daily_sales_changes(date, timestamptz);--> statement-breakpoint

COMMENT ON COLUMN core.orders.units IS 'Sum of the quantities of its lines. NULL: none are loaded, or a line has none.';--> statement-breakpoint
COMMENT ON COLUMN core.order_versions.units IS 'Sum of the quantities of its lines. NULL: none were loaded, or a line had none.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.history_from IS 'SHOP_HISTORY_FROM of the latest sweep: nothing older is loaded. NULL: all there is.';--> statement-breakpoint
COMMENT ON COLUMN core.daily_sums.items IS 'Sum of the units of sales. NULL: of no sale they are known.';--> statement-breakpoint
COMMENT ON COLUMN core.daily_sums.goods IS 'Sum of the line totals of sales. NULL: no sale has them.';--> statement-breakpoint
COMMENT ON COLUMN core.daily_sums.line_discount IS 'Sum of the discounts on the lines of sales. NULL: of no sale they are known.';--> statement-breakpoint
COMMENT ON COLUMN core.daily_sums.order_discount IS 'Sum of the discounts on sales as a whole. NULL: of no sale they are known.';--> statement-breakpoint
COMMENT ON COLUMN core.daily_sums.delivery IS 'Sum of the delivery prices of sales. NULL: no sale has one.';--> statement-breakpoint
COMMENT ON COLUMN core.daily_sums.cancelled IS 'Sum of order_sum of orders whose stage is cancelled. NULL: none has one.';--> statement-breakpoint
COMMENT ON COLUMN core.daily_sums.returned IS 'Sum of order_sum of orders whose stage is returned. NULL: none has one.';
