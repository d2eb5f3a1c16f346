CREATE TABLE "core"."customer_cuts" (
	"shop_id" integer NOT NULL,
	"currency" text,
	"days" date[] NOT NULL,
	"orders" bigint[] NOT NULL,
	"revenues" numeric(16, 2)[] NOT NULL,
	CONSTRAINT "customer_cuts_key" UNIQUE NULLS NOT DISTINCT("shop_id","currency")
);
--> statement-breakpoint
CREATE TABLE "core"."customer_sums" (
	"shop_id" integer NOT NULL,
	"customer_key" text NOT NULL,
	"currency" text,
	"orders" bigint NOT NULL,
	"revenue" numeric,
	"priced_orders" bigint NOT NULL,
	"first_day" date,
	"last_day" date,
	"new_on" date,
	"is_guest" boolean NOT NULL,
	"buyer_oid" bigint,
	"months" date[],
	"month_orders" bigint[],
	"month_revenues" numeric[],
	CONSTRAINT "customer_sums_key" UNIQUE NULLS NOT DISTINCT("shop_id","customer_key","currency")
);
--> statement-breakpoint
CREATE TABLE "core"."daily_sums" (
	"shop_id" integer NOT NULL,
	"day" date NOT NULL,
	"currency" text,
	"orders" bigint NOT NULL,
	"revenue" numeric,
	"priced_orders" bigint NOT NULL,
	"paid" numeric,
	"items" bigint,
	"customers" bigint NOT NULL,
	"cancelled_orders" bigint NOT NULL,
	"returned_orders" bigint NOT NULL,
	"draft_orders" bigint NOT NULL,
	"other_orders" bigint NOT NULL,
	CONSTRAINT "daily_sums_key" UNIQUE NULLS NOT DISTINCT("shop_id","day","currency")
);
--> statement-breakpoint
CREATE TABLE "core"."product_months" (
	"shop_id" integer NOT NULL,
	"month" date NOT NULL,
	"product_oid" bigint,
	"orders" bigint NOT NULL,
	CONSTRAINT "product_months_key" UNIQUE NULLS NOT DISTINCT("shop_id","month","product_oid")
);
--> statement-breakpoint
CREATE TABLE "ops"."stale_customers" (
	"shop_id" integer NOT NULL,
	"customer_key" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ops"."stale_days" (
	"shop_id" integer NOT NULL,
	"day" date NOT NULL
);
--> statement-breakpoint
CREATE TABLE "core"."status_paths" (
	"shop_id" integer NOT NULL,
	"day" date NOT NULL,
	"status_code" text NOT NULL,
	"earlier" text[] NOT NULL,
	"orders" bigint NOT NULL,
	CONSTRAINT "status_paths_key" UNIQUE("shop_id","day","status_code","earlier")
);
--> statement-breakpoint
CREATE INDEX "orders_missing_idx" ON "core"."orders" USING btree ("shop_id","created_on") WHERE "core"."orders"."missing_since" IS NOT NULL;