-- Works with order-sync 0.1.0 and later.
ALTER TABLE "ops"."shop_state" ADD COLUMN "counted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "counted_through" date;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "counted_orders" bigint;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "counted_facets" integer;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "count_requests_left" double precision;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "facet_doubts" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "orders_counts_idx" ON "core"."orders" USING btree ("shop_id","created_on","status_code","pay_status_code","order_sum") WHERE "core"."orders"."missing_since" IS NULL AND "core"."orders"."deleted_at" IS NULL;--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.counted_at IS 'When the shop was last asked to count its orders. NULL: never.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.counted_through IS 'Last of the days that it counted. NULL: none.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.counted_orders IS 'Live orders that the warehouse held of these days. NULL: none was counted.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.counted_facets IS 'How many ways the shop counted them by: all of them, by status, by payment status, by sum. NULL: none was counted.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.count_requests_left IS 'Requests for counts that were left over then, and may be sent later. NULL: none was counted.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.facet_doubts IS 'What the shop counted otherwise than a day was proven to hold: facet, how often in a row, the reason, and until when it is not asked for.';
