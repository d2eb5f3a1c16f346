CREATE INDEX "raw_order_contents_age_idx" ON "raw"."order_contents" USING btree ("shop_id","fetched_at");--> statement-breakpoint
CREATE INDEX "raw_orders_age_idx" ON "raw"."orders" USING btree ("shop_id","fetched_at");--> statement-breakpoint
CREATE INDEX "raw_users_age_idx" ON "raw"."users" USING btree ("shop_id","fetched_at");

COMMENT ON COLUMN ops.shop_state.pruned_at IS 'When runs, settled rejections and payloads past RUNS_KEPT and RAW_KEPT were last removed. NULL: never.';
