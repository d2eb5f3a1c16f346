-- Works with order-sync 0.1.0 and later.
-- All that tells the place of a sale among its customer's, so that bi.orders counts in the index alone.
DROP INDEX "core"."orders_shop_customer_created_idx";--> statement-breakpoint
CREATE INDEX "orders_shop_customer_created_idx" ON "core"."orders" USING btree ("shop_id","customer_key","created_at","order_id") INCLUDE ("status_code","deleted_at");
