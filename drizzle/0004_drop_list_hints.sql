ALTER TABLE "ops"."shop_state" DROP COLUMN "wants_both_dates";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "is_undated_partial";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "list_ends_at";