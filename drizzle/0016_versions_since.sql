-- Works with order-sync 0.1.0 and later.
ALTER TABLE "core"."shops" ADD COLUMN "versions_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "order_versions_valid_until_idx" ON "core"."order_versions" USING brin ("valid_until");--> statement-breakpoint
-- A Citus has no triggers that record it.
DO $$
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    RETURN;
  END IF;
  ALTER TABLE core.shops ALTER COLUMN versions_since SET DEFAULT now();
  UPDATE core.shops SET versions_since = greatest(created_at, (SELECT applied_at FROM ops.migrations WHERE name = '0011_order_versions'));
END $$;--> statement-breakpoint
COMMENT ON COLUMN core.shops.versions_since IS 'Since when core.order_versions has what reports said of the shop''s orders. NULL: it is not recorded here, as on a Citus.';
