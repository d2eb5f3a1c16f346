ALTER TABLE "ops"."days" ADD COLUMN "retry_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."days" ADD COLUMN "orders_listed" integer;--> statement-breakpoint
COMMENT ON COLUMN ops.days.retry_at IS 'When the day is tried again by itself, after an attempt that failed. NULL: the latest attempt did not fail.';--> statement-breakpoint
COMMENT ON COLUMN ops.days.orders_listed IS 'Orders of the day on a list that was too long to be read at once: the next sweep asks for parts of the day. NULL: there was none since the day was last verified.';
