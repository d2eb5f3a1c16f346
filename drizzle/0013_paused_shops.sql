-- Works with order-sync 0.1.0 and later.
ALTER TABLE "core"."shops" ADD COLUMN "paused_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "core"."shops" ADD COLUMN "resumed_at" timestamp with time zone;--> statement-breakpoint
COMMENT ON COLUMN core.shops.paused_at IS 'Since when the shop is not synced until somebody resumes it. NULL: it is not paused.';--> statement-breakpoint
COMMENT ON COLUMN core.shops.resumed_at IS 'When its last pause ended. NULL: it was never resumed.';
