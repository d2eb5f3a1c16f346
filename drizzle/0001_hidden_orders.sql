ALTER TABLE "ops"."shop_state" ADD COLUMN "is_undated_partial" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "list_ends_at" integer;--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.is_undated_partial IS 'True if the shop lists a part of the orders where a date is left out, so that both are always sent.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.list_ends_at IS 'Rows of a list that hid others, whatever its total said: lists of as many are read in parts. NULL: none seen.';
