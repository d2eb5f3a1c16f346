-- Works with order-sync 0.1.0 and later.
CREATE INDEX "days_unverified_idx" ON "ops"."days" USING btree ("shop_id","day") WHERE "ops"."days"."verified_at" IS NULL;--> statement-breakpoint
CREATE INDEX "orders_unconfirmed_idx" ON "core"."orders" USING btree ("shop_id","created_on") WHERE "core"."orders"."missing_since" IS NOT NULL AND "core"."orders"."deleted_at" IS NULL;