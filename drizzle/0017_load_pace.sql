-- Works with order-sync 0.1.0 and later.
ALTER TABLE "ops"."shop_state" ADD COLUMN "load_rps" double precision;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "listed_orders" bigint;--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.load_rps IS 'Requests per second of the last run that made enough to tell: what a load takes is estimated by it. NULL: none did.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.listed_orders IS 'Orders that the shop said it has, when all of them were last asked for. NULL: it does not say.';
