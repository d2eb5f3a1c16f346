-- A day is verified when all of its windows were proven within one sweep: nothing is kept of one that was read in part.
ALTER TABLE "ops"."days" DROP COLUMN "moves";--> statement-breakpoint
ALTER TABLE "ops"."days" DROP COLUMN "read_from";--> statement-breakpoint
ALTER TABLE "ops"."days" DROP COLUMN "read_since";--> statement-breakpoint
ALTER TABLE "ops"."days" DROP COLUMN "read_orders";--> statement-breakpoint
ALTER TABLE "ops"."days" DROP COLUMN "read_moves";
