ALTER TABLE "ops"."days" ADD COLUMN "read_from" timestamp;--> statement-breakpoint
ALTER TABLE "ops"."days" ADD COLUMN "read_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."days" ADD COLUMN "read_orders" integer;--> statement-breakpoint
ALTER TABLE "ops"."days" ADD COLUMN "read_restless" boolean;--> statement-breakpoint
ALTER TABLE "ops"."days" ADD COLUMN "read_held" text;--> statement-breakpoint
COMMENT ON COLUMN ops.days.read_from IS 'Of a day that takes several windows: from this minute of the shop''s zone up to midnight it was read, and the next sweep goes on below. NULL: no reading of the day is under way.';
COMMENT ON COLUMN ops.days.read_since IS 'When the reading that is under way began: once the rest of the day is read, it is verified as of then. NULL: none is.';
COMMENT ON COLUMN ops.days.read_orders IS 'Orders that the reading under way has found on the day so far. NULL: none is.';
COMMENT ON COLUMN ops.days.read_restless IS 'True when the reading under way found anything but what was held: the day is then read once more before it counts as verified. NULL: none is.';
COMMENT ON COLUMN ops.days.read_held IS 'Digest of the day''s orders as they were held when read_from was written: where they changed since, a reading that is not restless begins again. NULL: none is under way.';
