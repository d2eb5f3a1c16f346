CREATE SCHEMA "core";
--> statement-breakpoint
CREATE SCHEMA "ops";
--> statement-breakpoint
CREATE SCHEMA "raw";
--> statement-breakpoint
CREATE TABLE "core"."order_history" (
	"shop_id" integer NOT NULL,
	"order_id" bigint NOT NULL,
	"seq" integer NOT NULL,
	"status_code" text NOT NULL,
	"pay_status_code" text NOT NULL,
	"order_sum" numeric(14, 2),
	"paid_amount" numeric(14, 2),
	"source_updated_at" timestamp with time zone,
	"not_before" timestamp with time zone,
	"observed_at" timestamp with time zone NOT NULL,
	"observed_until" timestamp with time zone,
	"is_initial" boolean NOT NULL,
	CONSTRAINT "order_history_shop_id_order_id_seq_pk" PRIMARY KEY("shop_id","order_id","seq")
);
--> statement-breakpoint
CREATE TABLE "core"."order_lines" (
	"shop_id" integer NOT NULL,
	"order_id" bigint NOT NULL,
	"line_no" smallint NOT NULL,
	"line_oid" text,
	"product_oid" bigint,
	"spec_hash" text,
	"code" text,
	"product_name" text,
	"sku" text,
	"quantity" numeric(14, 3),
	"unit_price" numeric(14, 2),
	"line_total" numeric(14, 2),
	"list_price" numeric(14, 2),
	"list_total" numeric(14, 2),
	"discount_raw" text,
	"discount_percent" numeric(7, 4),
	CONSTRAINT "order_lines_shop_id_order_id_line_no_pk" PRIMARY KEY("shop_id","order_id","line_no")
);
--> statement-breakpoint
CREATE TABLE "core"."order_statuses" (
	"shop_id" integer NOT NULL,
	"status_code" text NOT NULL,
	"name" text NOT NULL,
	"name_local" text,
	"stage" text NOT NULL,
	"stage_order" smallint,
	"is_sale" boolean NOT NULL,
	"is_final" boolean NOT NULL,
	"is_documented" boolean NOT NULL,
	CONSTRAINT "order_statuses_shop_id_status_code_pk" PRIMARY KEY("shop_id","status_code"),
	CONSTRAINT "order_statuses_stage_check" CHECK ("core"."order_statuses"."stage" IN ('draft','open','fulfilment','delivered','cancelled','returned','other','unknown'))
);
--> statement-breakpoint
CREATE TABLE "core"."orders" (
	"shop_id" integer NOT NULL,
	"order_id" bigint NOT NULL,
	"status_code" text NOT NULL,
	"pay_status_code" text NOT NULL,
	"color" text,
	"buyer_oid" bigint,
	"is_guest" boolean NOT NULL,
	"customer_key" text NOT NULL,
	"created_on" date,
	"created_local" timestamp,
	"created_at" timestamp with time zone,
	"updated_local" timestamp,
	"updated_at" timestamp with time zone,
	"currency" text,
	"pay_method" text,
	"order_sum" numeric(14, 2),
	"paid_amount" numeric(14, 2),
	"delivery_price" numeric(14, 2),
	"discount_raw" text,
	"discount_percent" numeric(7, 4),
	"item_count" integer,
	"weight" numeric(14, 3),
	"delivery_name" text,
	"delivery_id" bigint,
	"buyer_name" text,
	"buyer_email" text,
	"buyer_phone" text,
	"buyer_address" text,
	"comment" text,
	"fields" jsonb,
	"user_unique_key" text,
	"order_hash" text,
	"views" integer,
	"users_raw" text,
	"fingerprint" text NOT NULL,
	"lines_state" text NOT NULL,
	"lines_fetched_at" timestamp with time zone,
	"lines_attempts" smallint DEFAULT 0 NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	"missing_since" timestamp with time zone,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "orders_shop_id_order_id_pk" PRIMARY KEY("shop_id","order_id"),
	CONSTRAINT "orders_lines_state_check" CHECK ("core"."orders"."lines_state" IN ('pending','ok','failed'))
);
--> statement-breakpoint
CREATE TABLE "core"."payment_statuses" (
	"shop_id" integer NOT NULL,
	"pay_status_code" text NOT NULL,
	"name" text NOT NULL,
	"name_local" text,
	"is_documented" boolean NOT NULL,
	CONSTRAINT "payment_statuses_shop_id_pay_status_code_pk" PRIMARY KEY("shop_id","pay_status_code")
);
--> statement-breakpoint
CREATE TABLE "core"."shops" (
	"shop_id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "core"."shops_shop_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"shop_key" text NOT NULL,
	"base_url" text NOT NULL,
	"timezone" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shops_shop_key_unique" UNIQUE("shop_key")
);
--> statement-breakpoint
CREATE TABLE "core"."user_groups" (
	"shop_id" integer NOT NULL,
	"group_oid" bigint NOT NULL,
	"parent_oid" bigint,
	"name" text,
	"url" text,
	"type" text,
	"template" text,
	"visible" text,
	"sort" integer,
	"owner_oid" bigint,
	"access" text,
	"created_local" timestamp,
	"updated_local" timestamp,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "user_groups_shop_id_group_oid_pk" PRIMARY KEY("shop_id","group_oid")
);
--> statement-breakpoint
CREATE TABLE "core"."users" (
	"shop_id" integer NOT NULL,
	"user_oid" bigint NOT NULL,
	"fetch_state" text NOT NULL,
	"group_oid" bigint,
	"login" text,
	"email" text,
	"phone" text,
	"name" text,
	"org_name" text,
	"gender" text,
	"level" integer,
	"address" text,
	"images" jsonb,
	"content" jsonb,
	"owner_oid" bigint,
	"visible" text,
	"access" text,
	"created_local" timestamp,
	"updated_local" timestamp,
	"created_at" timestamp with time zone,
	"fetched_at" timestamp with time zone,
	CONSTRAINT "users_shop_id_user_oid_pk" PRIMARY KEY("shop_id","user_oid"),
	CONSTRAINT "users_fetch_state_check" CHECK ("core"."users"."fetch_state" IN ('pending','ok','not_found','failed','guest'))
);
--> statement-breakpoint
CREATE TABLE "ops"."api_profiles" (
	"shop_id" integer PRIMARY KEY NOT NULL,
	"profile" jsonb NOT NULL,
	"learned_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ops"."days" (
	"shop_id" integer NOT NULL,
	"day" date NOT NULL,
	"verified_at" timestamp with time zone,
	"orders_seen" integer,
	"changed_at" timestamp with time zone,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"last_error" text,
	CONSTRAINT "days_shop_id_day_pk" PRIMARY KEY("shop_id","day")
);
--> statement-breakpoint
CREATE TABLE "ops"."erasures" (
	"shop_id" integer NOT NULL,
	"identifier_hash" text NOT NULL,
	"erased_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "erasures_shop_id_identifier_hash_pk" PRIMARY KEY("shop_id","identifier_hash")
);
--> statement-breakpoint
CREATE TABLE "ops"."leases" (
	"shop_id" integer PRIMARY KEY NOT NULL,
	"epoch" bigint NOT NULL,
	"holder" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ops"."rejections" (
	"rejection_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ops"."rejections_rejection_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"shop_id" integer NOT NULL,
	"resource" text NOT NULL,
	"source_key" text,
	"field" text,
	"reason" text NOT NULL,
	"value" text,
	"digest" text NOT NULL,
	"first_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_count" integer DEFAULT 1 NOT NULL,
	"resolved_at" timestamp with time zone,
	CONSTRAINT "rejections_shop_digest_key" UNIQUE("shop_id","digest"),
	CONSTRAINT "rejections_resource_check" CHECK ("ops"."rejections"."resource" IN ('order','content','user','group'))
);
--> statement-breakpoint
CREATE TABLE "ops"."runs" (
	"run_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ops"."runs_run_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"shop_id" integer NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	"requests" integer DEFAULT 0 NOT NULL,
	"list_requests" integer DEFAULT 0 NOT NULL,
	"content_requests" integer DEFAULT 0 NOT NULL,
	"user_requests" integer DEFAULT 0 NOT NULL,
	"retries" integer DEFAULT 0 NOT NULL,
	"days_verified" integer DEFAULT 0 NOT NULL,
	"orders_seen" integer DEFAULT 0 NOT NULL,
	"orders_new" integer DEFAULT 0 NOT NULL,
	"orders_changed" integer DEFAULT 0 NOT NULL,
	"orders_missing" integer DEFAULT 0 NOT NULL,
	"rejections" integer DEFAULT 0 NOT NULL,
	"error" text,
	"version" text NOT NULL,
	CONSTRAINT "runs_kind_check" CHECK ("ops"."runs"."kind" IN ('sync','backfill','verify','replay','check')),
	CONSTRAINT "runs_status_check" CHECK ("ops"."runs"."status" IN ('running','ok','partial','failed','interrupted','abandoned'))
);
--> statement-breakpoint
CREATE TABLE "raw"."order_contents" (
	"shop_id" integer NOT NULL,
	"order_id" bigint NOT NULL,
	"payload" jsonb NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL,
	CONSTRAINT "order_contents_shop_id_order_id_pk" PRIMARY KEY("shop_id","order_id")
);
--> statement-breakpoint
CREATE TABLE "raw"."orders" (
	"shop_id" integer NOT NULL,
	"order_id" bigint NOT NULL,
	"payload" jsonb NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL,
	CONSTRAINT "orders_shop_id_order_id_pk" PRIMARY KEY("shop_id","order_id")
);
--> statement-breakpoint
CREATE TABLE "raw"."user_groups" (
	"shop_id" integer NOT NULL,
	"group_oid" bigint NOT NULL,
	"payload" jsonb NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL,
	CONSTRAINT "user_groups_shop_id_group_oid_pk" PRIMARY KEY("shop_id","group_oid")
);
--> statement-breakpoint
CREATE TABLE "raw"."users" (
	"shop_id" integer NOT NULL,
	"user_key" text NOT NULL,
	"payload" jsonb,
	"http_status" smallint,
	"fetched_at" timestamp with time zone NOT NULL,
	CONSTRAINT "users_shop_id_user_key_pk" PRIMARY KEY("shop_id","user_key")
);
--> statement-breakpoint
ALTER TABLE "core"."order_history" ADD CONSTRAINT "order_history_shop_id_order_id_orders_shop_id_order_id_fk" FOREIGN KEY ("shop_id","order_id") REFERENCES "core"."orders"("shop_id","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_lines" ADD CONSTRAINT "order_lines_shop_id_order_id_orders_shop_id_order_id_fk" FOREIGN KEY ("shop_id","order_id") REFERENCES "core"."orders"("shop_id","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_statuses" ADD CONSTRAINT "order_statuses_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_status_code_order_statuses_shop_id_status_code_fk" FOREIGN KEY ("shop_id","status_code") REFERENCES "core"."order_statuses"("shop_id","status_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_pay_status_code_payment_statuses_shop_id_pay_status_code_fk" FOREIGN KEY ("shop_id","pay_status_code") REFERENCES "core"."payment_statuses"("shop_id","pay_status_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_buyer_oid_users_shop_id_user_oid_fk" FOREIGN KEY ("shop_id","buyer_oid") REFERENCES "core"."users"("shop_id","user_oid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."payment_statuses" ADD CONSTRAINT "payment_statuses_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."user_groups" ADD CONSTRAINT "user_groups_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."users" ADD CONSTRAINT "users_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."api_profiles" ADD CONSTRAINT "api_profiles_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."days" ADD CONSTRAINT "days_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."erasures" ADD CONSTRAINT "erasures_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."leases" ADD CONSTRAINT "leases_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."rejections" ADD CONSTRAINT "rejections_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."runs" ADD CONSTRAINT "runs_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "order_history_current_idx" ON "core"."order_history" USING btree ("shop_id","order_id") WHERE "core"."order_history"."observed_until" IS NULL;--> statement-breakpoint
CREATE INDEX "order_lines_product_idx" ON "core"."order_lines" USING btree ("shop_id","product_oid","order_id");--> statement-breakpoint
CREATE INDEX "orders_shop_created_local_idx" ON "core"."orders" USING btree ("shop_id","created_local");--> statement-breakpoint
CREATE INDEX "orders_created_on_idx" ON "core"."orders" USING btree ("created_on");--> statement-breakpoint
CREATE INDEX "orders_updated_at_idx" ON "core"."orders" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "orders_shop_customer_created_idx" ON "core"."orders" USING btree ("shop_id","customer_key","created_at");--> statement-breakpoint
CREATE INDEX "orders_shop_buyer_idx" ON "core"."orders" USING btree ("shop_id","buyer_oid");--> statement-breakpoint
CREATE INDEX "orders_lines_due_idx" ON "core"."orders" USING btree ("shop_id","lines_fetched_at") WHERE "core"."orders"."lines_state" <> 'ok';--> statement-breakpoint
CREATE INDEX "runs_shop_started_idx" ON "ops"."runs" USING btree ("shop_id","started_at" DESC NULLS LAST);