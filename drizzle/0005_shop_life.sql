ALTER TABLE "core"."shops" ADD COLUMN "retired_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "core"."shops" ADD COLUMN "deletion_started_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "core"."shops" ADD COLUMN "former_keys" text[] DEFAULT '{}' NOT NULL;

COMMENT ON COLUMN core.shops.retired_at IS 'Since when the shop is not synced any more; its orders stay in the views. NULL: it is synced wherever it is configured.';
COMMENT ON COLUMN core.shops.deletion_started_at IS 'Since when the shop is being deleted; its rows are incomplete. NULL: it is not.';
COMMENT ON COLUMN core.shops.former_keys IS 'Keys that the shop had before it was renamed; no other shop can be registered by them.';
