ALTER TABLE "ops"."days" ADD COLUMN "last_verified_at" timestamp with time zone;--> statement-breakpoint
UPDATE ops.days SET last_verified_at = verified_at WHERE verified_at IS NOT NULL;--> statement-breakpoint
COMMENT ON COLUMN ops.days.last_verified_at IS 'When the day was last verified, whatever failed or came since. NULL: never.';
