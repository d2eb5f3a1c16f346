ALTER TABLE "ops"."shop_state" ADD COLUMN "looked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "ok_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "pruned_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "requests_hour" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "requests_by_hour" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
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
COMMENT ON COLUMN ops.shop_state.requests_by_hour IS 'HTTP requests sent to the shop in that hour and those before it, for up to 24 hours.';
