ALTER TABLE "core"."orders" DROP CONSTRAINT "orders_lines_state_check";--> statement-breakpoint
ALTER TABLE "ops"."shop_figures" ADD COLUMN "orders_with_doubtful_lines" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "line_relations" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "line_relations_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_lines_state_check" CHECK ("core"."orders"."lines_state" IN ('pending','ok','failed','doubtful'));--> statement-breakpoint

COMMENT ON COLUMN core.orders.lines_state IS 'Whether the lines in core.order_lines are up to date: ok; pending: not fetched yet; failed: the last attempt failed; older lines are kept; doubtful: they contradict the order''s count or sum. All but ok are retried.';--> statement-breakpoint
COMMENT ON COLUMN core.orders.lines_attempts IS 'Failed attempts to fetch the lines since the last success; if they are doubtful, how often they were requested again.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_figures.orders_with_doubtful_lines IS 'Of these, orders whose lines contradict their count or sum.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.line_relations IS 'What the shop''s count (lines, units) and sum (the others) are of an order''s lines, as most of its orders show; empty: not known.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.line_relations_at IS 'When that was learned last. NULL: never.';
