CREATE TABLE "ops"."stale_sums" (
	"shop_id" integer NOT NULL,
	"day" date,
	"month" date,
	"customer_key" text
);--> statement-breakpoint
-- With a publication for all tables, rows of a table without a key could not be deleted.
ALTER TABLE ops.stale_sums REPLICA IDENTITY FULL;--> statement-breakpoint
INSERT INTO ops.stale_sums (shop_id, day, month)
SELECT DISTINCT shop_id, day, CASE WHEN with_products THEN date_trunc('month', day::timestamp)::date END FROM ops.stale_days;--> statement-breakpoint
INSERT INTO ops.stale_sums (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM ops.stale_customers;--> statement-breakpoint
-- What was built on the totals stays, until their files say again how they are kept exact.
DO $$
DECLARE
  known record;
BEGIN
  FOR known IN
    SELECT * FROM (VALUES
      ('daily_totals', 'daily_sums'), ('status_path_totals', 'status_paths'), ('product_month_totals', 'product_months'),
      ('customer_totals', 'customer_sums')) AS t (total, stored)
    WHERE to_regclass('core.' || total) IS NOT NULL
  LOOP
    EXECUTE format('CREATE OR REPLACE VIEW core.%I AS SELECT * FROM core.%I', known.total, known.stored);
  END LOOP;
END $$;--> statement-breakpoint
DROP VIEW IF EXISTS bi.customer_rfm, bi.sync_freshness, bi.completeness, core.daily_recount, core.status_path_recount,
  core.product_month_recount, core.customer_recount, core.customer_cut_totals, core.customer_cut_recount, core.stale_orders;--> statement-breakpoint
DROP TABLE "core"."customer_cuts";--> statement-breakpoint
DROP TABLE "ops"."stale_customers";--> statement-breakpoint
DROP TABLE "ops"."stale_days";--> statement-breakpoint

COMMENT ON TABLE core.customer_sums IS 'Sums of the sales by shop, customer and currency. Valid only for customers without a mark in ops.stale_sums.';
COMMENT ON TABLE core.daily_sums IS 'Sums of the orders that are not deleted, by shop, day and currency. Valid only for days without a mark in ops.stale_sums.';
COMMENT ON TABLE core.product_months IS 'Number of sales with a product, by shop and month. Valid only for months without a mark in ops.stale_sums.';
COMMENT ON TABLE core.status_paths IS 'Number of orders that are not deleted, by shop, day, status and earlier statuses. Valid only for days without a mark in ops.stale_sums.';
COMMENT ON TABLE ops.stale_sums IS 'What stored sums are out of date: those of the day, of the month and of the customer that a row names. Triggers only add rows; ops.refresh_summaries() recomputes the sums and removes them.';
COMMENT ON COLUMN ops.stale_sums.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.stale_sums.day IS 'Day on which orders were placed, in the shop''s time zone. NULL: none is marked.';
COMMENT ON COLUMN ops.stale_sums.month IS 'First day of a month of which the sums of products may be out of date. NULL: none is.';
COMMENT ON COLUMN ops.stale_sums.customer_key IS 'Customer, as in core.orders. NULL: none is marked.';
