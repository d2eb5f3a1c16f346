ALTER TABLE "ops"."shop_figures" DROP COLUMN "change_ages";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "silence_factor";