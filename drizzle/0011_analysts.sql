-- On a Citus, statements on tables that refer to core.shops run one node after the other.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

-- Columns of these views have other names now, or are gone. Views of your own are not dropped with them.
DO $$
BEGIN
  DROP VIEW IF EXISTS bi.product_sales, bi.order_lines, bi.customer_rfm, bi.cohorts_monthly;
EXCEPTION WHEN dependent_objects_still_exist THEN
  RAISE EXCEPTION 'views of your own read bi.product_sales, bi.order_lines, bi.customer_rfm or bi.cohorts_monthly, whose columns change'
    USING HINT = 'Keep their definitions (pg_get_viewdef), drop them, run order-sync migrate, and create them with the new names: CHANGELOG.md lists them.',
      ERRCODE = 'dependent_objects_still_exist';
END $$;--> statement-breakpoint
ALTER TABLE "core"."status_paths" DROP CONSTRAINT "status_paths_key";--> statement-breakpoint
ALTER TABLE "core"."orders" ADD COLUMN "lines_total" numeric(20, 2);--> statement-breakpoint
ALTER TABLE "core"."orders" ADD COLUMN "list_total" numeric(20, 2);--> statement-breakpoint
ALTER TABLE "core"."orders" ADD COLUMN "row_changed_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "core"."customer_sums" ADD COLUMN "is_main" boolean;--> statement-breakpoint
ALTER TABLE "core"."customer_sums" ADD COLUMN "is_first" boolean;--> statement-breakpoint
ALTER TABLE "core"."customer_sums" ADD COLUMN "currencies" bigint;--> statement-breakpoint
ALTER TABLE "core"."customer_sums" ADD COLUMN "all_orders" bigint;--> statement-breakpoint
ALTER TABLE "core"."customer_sums" ADD COLUMN "all_first_day" date;--> statement-breakpoint
ALTER TABLE "core"."customer_sums" ADD COLUMN "all_last_day" date;--> statement-breakpoint
ALTER TABLE "core"."product_months" ADD COLUMN "first_day" date;--> statement-breakpoint
ALTER TABLE "core"."product_months" ADD COLUMN "last_day" date;--> statement-breakpoint
ALTER TABLE "core"."product_months" ADD COLUMN "skus" text[];--> statement-breakpoint
ALTER TABLE "core"."status_paths" ADD COLUMN "currency" text;--> statement-breakpoint
ALTER TABLE "core"."status_paths" ADD COLUMN "source" text;--> statement-breakpoint
CREATE INDEX "orders_row_changed_idx" ON "core"."orders" USING btree ("row_changed_at");--> statement-breakpoint
ALTER TABLE "core"."status_paths" ADD CONSTRAINT "status_paths_key" UNIQUE NULLS NOT DISTINCT("shop_id","day","status_code","earlier","currency","source");--> statement-breakpoint

-- Sums of the lines held. No sum that the views read depends on them, so the triggers need not compare old rows with new ones.
SELECT set_config('order_sync.marks', 'made', true);--> statement-breakpoint
UPDATE core.orders o SET lines_total = l.lines_total, list_total = l.list_total
FROM (
  SELECT
    shop_id,
    order_id,
    CASE WHEN bool_and(line_total IS NOT NULL) THEN sum(line_total) END AS lines_total,
    CASE WHEN bool_and(list_total IS NOT NULL AND (list_total <> 0 OR coalesce(line_total = 0, false))) THEN sum(list_total) END AS list_total
  FROM core.order_lines
  GROUP BY shop_id, order_id
) l
WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id;--> statement-breakpoint
SELECT set_config('order_sync.marks', '', true);--> statement-breakpoint

-- As before, and where buyers heard of the shop.
CREATE OR REPLACE FUNCTION ops.mark_orders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (
      SELECT shop_id, order_id, created_on, customer_key, created_at, status_code, currency, order_sum, paid_amount,
        item_count, is_guest, buyer_oid, deleted_at IS NULL, fields #>> '{source,value}' FROM old_rows
    ), becomes AS (
      SELECT shop_id, order_id, created_on, customer_key, created_at, status_code, currency, order_sum, paid_amount,
        item_count, is_guest, buyer_oid, deleted_at IS NULL, fields #>> '{source,value}' FROM new_rows
    ), changed AS MATERIALIZED (
      (TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)
    ), days AS (
      INSERT INTO ops.stale_days (shop_id, day)
      SELECT DISTINCT shop_id, created_on FROM changed WHERE created_on IS NOT NULL
    )
    INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM changed;
  ELSE
    WITH days AS (
      INSERT INTO ops.stale_days (shop_id, day)
      SELECT DISTINCT shop_id, created_on FROM written WHERE created_on IS NOT NULL
    )
    INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM written;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint

-- As before, and the article number.
CREATE OR REPLACE FUNCTION ops.mark_lines() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (SELECT shop_id, order_id, product_oid, sku FROM old_rows),
    becomes AS (SELECT shop_id, order_id, product_oid, sku FROM new_rows),
    changed AS ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)),
    held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM changed) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  ELSE
    WITH held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM written) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint

-- The sums have more columns: they are computed again, and until then the views count each order.
SELECT ops.mark_everything();--> statement-breakpoint

COMMENT ON COLUMN core.orders.lines_total IS 'Sum of the totals of the lines held. NULL: no line, or one without a total.';--> statement-breakpoint
COMMENT ON COLUMN core.orders.list_total IS 'Sum of the totals of the lines held before discount. NULL: no line, or one without such a total.';--> statement-breakpoint
COMMENT ON COLUMN core.orders.row_changed_at IS 'When anything that the views show of the order was last written: its row, lines, history or marks. Grows from one transaction of a shop to the next.';--> statement-breakpoint
COMMENT ON COLUMN core.customer_sums.is_main IS 'Whether most of the customer''s sales are in this currency. NULL: to be recomputed.';--> statement-breakpoint
COMMENT ON COLUMN core.customer_sums.is_first IS 'Whether the customer''s first sale is in this currency. NULL: to be recomputed.';--> statement-breakpoint
COMMENT ON COLUMN core.customer_sums.currencies IS 'Number of currencies of the customer''s sales. NULL: to be recomputed.';--> statement-breakpoint
COMMENT ON COLUMN core.customer_sums.all_orders IS 'Sales of the customer in all currencies. NULL: to be recomputed.';--> statement-breakpoint
COMMENT ON COLUMN core.customer_sums.all_first_day IS 'Day of the customer''s first sale in any currency. NULL: none has a readable date.';--> statement-breakpoint
COMMENT ON COLUMN core.customer_sums.all_last_day IS 'Day of the customer''s latest sale in any currency. NULL: none has a readable date.';--> statement-breakpoint
COMMENT ON COLUMN core.product_months.first_day IS 'Day of the first sale in the month. NULL: none.';--> statement-breakpoint
COMMENT ON COLUMN core.product_months.last_day IS 'Day of the latest sale in the month. NULL: none.';--> statement-breakpoint
COMMENT ON COLUMN core.product_months.skus IS 'Article numbers in the lines of the product in the month, sorted. NULL: none, or the row is about all products.';--> statement-breakpoint
COMMENT ON COLUMN core.product_months.orders IS 'Sales with at least one line of the product; 0 if it was only in orders that are none.';--> statement-breakpoint
COMMENT ON COLUMN core.status_paths.currency IS 'Currency of the orders. NULL: not sent.';--> statement-breakpoint
COMMENT ON COLUMN core.status_paths.source IS 'What buyers entered in the extra field source, shortened to 100 characters; may be personal data. NULL: nothing.';
