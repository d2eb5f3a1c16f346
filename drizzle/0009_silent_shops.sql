-- Works with order-sync 0.1.0 and later.
ALTER TABLE "ops"."alerts" DROP CONSTRAINT "alerts_cause_check";--> statement-breakpoint
ALTER TABLE "ops"."shop_figures" ADD COLUMN "rhythm" jsonb;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "silence_factor" double precision;--> statement-breakpoint
ALTER TABLE "ops"."alerts" ADD CONSTRAINT "alerts_cause_check" CHECK ("ops"."alerts"."cause" IN ('failing','stale','credentials','deletions','rejections','silent','clock','drift','crashes'));--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.rhythm IS 'How many orders the shop takes at each weekday and hour of its own time, and its longest usual silence, measured in orders. NULL: too few orders to tell.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.silence_factor IS 'How many times its longest usual silence a shop may take no order before an alert is raised. NULL: 5. 0: none is.';--> statement-breakpoint
COMMENT ON COLUMN ops.alerts.cause IS 'What is wrong: failing, stale, credentials, deletions, silent, rejections, clock, drift or crashes.';
