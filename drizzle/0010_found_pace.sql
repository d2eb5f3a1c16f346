-- Works with order-sync 0.1.0 and later.
ALTER TABLE "ops"."shop_state" ADD COLUMN "found_rps" double precision;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "limited_by" text;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD CONSTRAINT "shop_state_limited_by_check" CHECK ("ops"."shop_state"."limited_by" IN ('rate','slowness','failures'));--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.found_rps IS 'Requests per second that the shop was found to take; it refuses more. NULL: it was not seen to refuse any for their number.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.limited_by IS 'Why the shop is asked more slowly than the settings allow: rate, it refuses more; slowness, its answers take longer with more at once; failures, requests failed. NULL: nothing was found.';
