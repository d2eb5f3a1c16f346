DROP INDEX "core"."orders_updated_at_idx";--> statement-breakpoint
DROP INDEX "core"."orders_shop_buyer_idx";--> statement-breakpoint
CREATE INDEX "orders_buyer_idx" ON "core"."orders" USING btree ("buyer_oid","shop_id");