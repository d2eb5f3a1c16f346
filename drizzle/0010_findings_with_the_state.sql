ALTER TABLE "ops"."shop_state" ADD COLUMN "findings" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
UPDATE ops.shop_state s SET findings = (
  SELECT coalesce(jsonb_object_agg(f.cause, f.detail), '{}') FROM ops.findings f WHERE f.shop_id = s.shop_id);--> statement-breakpoint
DROP TABLE "ops"."findings";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "clock_warning";--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.findings IS 'What the latest sweeps found wrong with the shop, by cause: alerts are raised from it.';
