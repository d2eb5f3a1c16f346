-- It reads the columns that go; its file creates it anew.
DROP VIEW IF EXISTS bi.sync_freshness;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP CONSTRAINT "shop_state_total_meaning_check";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP CONSTRAINT "shop_state_circuit_check";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP CONSTRAINT "shop_state_limited_by_check";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "page_limit";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "page_rows";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "is_uneven";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "total_meaning";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "concurrency";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "lowest_concurrency";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "max_concurrency";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "max_rps";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "found_rps";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "limited_by";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "circuit";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "load_rps";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "listed_orders";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "paused_until";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "audited_at";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "audit_orders";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "audit_total";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "counted_at";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "counted_through";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "counted_orders";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "counted_facets";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "count_requests_left";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "count_every_seconds";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "pruned_at";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "requests_hour";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "requests_by_hour";