-- Works with order-sync 0.1.0 and later.
ALTER TABLE "ops"."shop_state" ADD COLUMN "count_every_seconds" double precision;--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.count_every_seconds IS 'How often the shop is asked to count its orders: as COUNT_EVERY says for a worker, else as often as sweeps come. NULL or 0: never.';
