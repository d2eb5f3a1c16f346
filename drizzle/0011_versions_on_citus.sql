-- A Citus has triggers that record what reports said, like any other PostgreSQL.
ALTER TABLE core.shops ALTER COLUMN versions_since SET DEFAULT now();--> statement-breakpoint
UPDATE core.shops SET versions_since = now() WHERE versions_since IS NULL;--> statement-breakpoint
COMMENT ON COLUMN core.shops.versions_since IS 'Since when core.order_versions records what the reports said of the shop. NULL: it is not recorded.';
