-- changed_at is in core what it is in bi. When the shop was seen to change an order is when its present state was observed.
ALTER TABLE "core"."orders" RENAME COLUMN "changed_at" TO "observed_at";--> statement-breakpoint
ALTER TABLE "core"."orders" RENAME COLUMN "row_changed_at" TO "changed_at";--> statement-breakpoint
ALTER INDEX "core"."orders_row_changed_idx" RENAME TO "orders_changed_idx";--> statement-breakpoint
COMMENT ON COLUMN core.orders.observed_at IS 'When this warehouse last saw that the shop had changed the order.';
