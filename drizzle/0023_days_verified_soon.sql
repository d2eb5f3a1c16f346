-- Works with order-sync 0.1.0 and later.
-- Days that were verified before they ended are looked for by each view that says of its figures whether they are verified.
CREATE INDEX "days_verified_soon_idx" ON "ops"."days" USING btree ("shop_id","day") WHERE "ops"."days"."verified_at" AT TIME ZONE 'UTC' < "ops"."days"."day" + 2;