CREATE TABLE "ops"."shop_figures" (
	"shop_id" integer PRIMARY KEY NOT NULL,
	"orders" integer DEFAULT 0 NOT NULL,
	"orders_missing" integer DEFAULT 0 NOT NULL,
	"orders_deleted" integer DEFAULT 0 NOT NULL,
	"orders_without_lines" integer DEFAULT 0 NOT NULL,
	"open_rejections" integer DEFAULT 0 NOT NULL,
	"counted_at" timestamp with time zone NOT NULL,
	"change_ages" jsonb,
	"unclassified" jsonb,
	"surveyed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "ops"."worker_roles" (
	"role" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "looked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "ok_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "pruned_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "clock_warning" text;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "requests_hour" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "requests_by_hour" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_figures" ADD CONSTRAINT "shop_figures_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rejections_open_idx" ON "ops"."rejections" USING btree ("shop_id","resource","source_key") WHERE "ops"."rejections"."resolved_at" IS NULL;--> statement-breakpoint
CREATE INDEX "runs_open_idx" ON "ops"."runs" USING btree ("shop_id") WHERE "ops"."runs"."status" = 'running';--> statement-breakpoint
-- What is now remembered of each shop, as far as the recorded runs tell.
UPDATE ops.shop_state s SET looked_at = r.looked_at, ok_at = r.ok_at
FROM (
  SELECT shop_id, max(started_at) AS looked_at, max(finished_at) FILTER (WHERE status = 'ok') AS ok_at
  FROM ops.runs WHERE kind IN ('sync', 'backfill') GROUP BY shop_id
) r
WHERE r.shop_id = s.shop_id;--> statement-breakpoint
COMMENT ON TABLE ops.runs IS 'What runs of commands on a shop did or failed at, one row each. A sync that finds nothing has no row: see looked_at in ops.shop_state.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.looked_at IS 'When the latest sweep began. NULL: none yet.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.ok_at IS 'When a sweep last completed everything. NULL: never.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.pruned_at IS 'When runs and settled rejections past RUNS_KEPT were last removed. NULL: never.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.requests_hour IS 'Beginning of the hour that the first number of requests_by_hour is about. NULL: no requests yet.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.requests_by_hour IS 'HTTP requests sent to the shop in that hour and those before it, for up to 24 hours.';--> statement-breakpoint
COMMENT ON TABLE ops.shop_figures IS 'What the last run that did something counted of each shop, for the status page and the metrics.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.shop_id IS 'Shop that the row is about.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.orders IS 'Orders in the warehouse, without deleted ones.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.orders_missing IS 'Of these, orders that the shop no longer lists and whose deletion is not confirmed yet.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.orders_deleted IS 'Deleted orders.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.orders_without_lines IS 'Orders whose lines are not loaded or not up to date.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.open_rejections IS 'Records and fields that could not be understood and need attention.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.counted_at IS 'When the figures above were counted.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.change_ages IS 'At which age of an order, in days, its changes were first seen: changes, p50, p99 and max. NULL: not surveyed yet.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.unclassified IS 'Status codes that were not classified, with the number of current orders that have them: an array of {kind, code, orders}. NULL: not surveyed yet.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.surveyed_at IS 'When change_ages and unclassified were computed, at most once a day. NULL: not yet.';--> statement-breakpoint
COMMENT ON TABLE ops.worker_roles IS 'Which worker does what one of them does for all.';--> statement-breakpoint
COMMENT ON COLUMN ops.worker_roles.role IS 'What it does: exporter reports the metrics of the shops.';--> statement-breakpoint
COMMENT ON COLUMN ops.worker_roles.holder IS 'Worker that does it: host, process id and its namespace.';--> statement-breakpoint
COMMENT ON COLUMN ops.worker_roles.expires_at IS 'When another worker may take over, unless this one comes back before.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.clock_warning IS 'Why the time zone or a clock may be wrong, as of the last sweep. NULL: nothing seems wrong.';
