ALTER TABLE "ops"."days" ADD COLUMN "retry_at" timestamp with time zone;--> statement-breakpoint
COMMENT ON COLUMN ops.days.retry_at IS 'When the day is tried again by itself, after an attempt that failed. NULL: the latest attempt did not fail.';
