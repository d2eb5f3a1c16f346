-- Works with order-sync 0.1.0 and later.
ALTER TABLE "ops"."migrations" ADD COLUMN "works_with" text;--> statement-breakpoint
COMMENT ON COLUMN ops.migrations.works_with IS 'Oldest version of the program that works on a database with this migration. NULL: a view, or only versions that know it.';
