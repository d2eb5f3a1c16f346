CREATE SCHEMA "ops";
--> statement-breakpoint
CREATE SCHEMA "raw";
--> statement-breakpoint
CREATE SCHEMA "core";
--> statement-breakpoint
CREATE TABLE "ops"."alerts" (
	"shop_id" integer NOT NULL,
	"alert_id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "ops"."alerts_alert_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"cause" text NOT NULL,
	"text" text NOT NULL,
	"raised_at" timestamp with time zone NOT NULL,
	"told_at" timestamp with time zone,
	"recovered_at" timestamp with time zone,
	"recovery_told_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	CONSTRAINT "alerts_shop_id_alert_id_pk" PRIMARY KEY("shop_id","alert_id"),
	CONSTRAINT "alerts_cause_check" CHECK ("ops"."alerts"."cause" IN ('failing','stale','credentials','deletions','rejections','silent','clock','drift','crashes'))
);
--> statement-breakpoint
CREATE TABLE "ops"."findings" (
	"shop_id" integer NOT NULL,
	"cause" text NOT NULL,
	"detail" text NOT NULL,
	"found_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "findings_shop_id_cause_pk" PRIMARY KEY("shop_id","cause"),
	CONSTRAINT "findings_cause_check" CHECK ("ops"."findings"."cause" IN ('credentials','deletions','clock','drift','crashes'))
);
--> statement-breakpoint
CREATE TABLE "ops"."payload_fields" (
	"shop_id" integer NOT NULL,
	"resource" text NOT NULL,
	"field" text NOT NULL,
	"is_new" boolean NOT NULL,
	"first_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payload_fields_shop_id_resource_field_pk" PRIMARY KEY("shop_id","resource","field"),
	CONSTRAINT "payload_fields_resource_check" CHECK ("ops"."payload_fields"."resource" IN ('order','line','form'))
);
--> statement-breakpoint
CREATE TABLE "ops"."audit_parts" (
	"shop_id" integer NOT NULL,
	"orders_read" integer NOT NULL,
	"began_at" timestamp with time zone NOT NULL,
	"list_start" integer NOT NULL,
	"list_total" bigint,
	"list_ends" jsonb NOT NULL,
	"order_ids" text[] NOT NULL,
	CONSTRAINT "audit_parts_shop_id_orders_read_pk" PRIMARY KEY("shop_id","orders_read")
);
--> statement-breakpoint
CREATE TABLE "ops"."days" (
	"shop_id" integer NOT NULL,
	"day" date NOT NULL,
	"verified_at" timestamp with time zone,
	"last_verified_at" timestamp with time zone,
	"orders_seen" integer,
	"changed_at" timestamp with time zone,
	"moves" integer DEFAULT 0 NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"last_error" text,
	"retry_at" timestamp with time zone,
	"read_from" timestamp,
	"read_since" timestamp with time zone,
	"read_orders" integer,
	"read_moves" integer,
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
CREATE TABLE "ops"."guest_secrets" (
	"shop_id" integer PRIMARY KEY NOT NULL,
	"secret" text,
	"digest" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ops"."leases" (
	"shop_id" integer PRIMARY KEY NOT NULL,
	"epoch" bigint NOT NULL,
	"holder" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ops"."migrations" (
	"name" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"version" text NOT NULL,
	"applied_at" timestamp with time zone DEFAULT now() NOT NULL
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
	CONSTRAINT "runs_kind_check" CHECK ("ops"."runs"."kind" IN ('sync','backfill','verify','replay','forget')),
	CONSTRAINT "runs_status_check" CHECK ("ops"."runs"."status" IN ('running','ok','partial','failed','interrupted','abandoned'))
);
--> statement-breakpoint
CREATE TABLE "ops"."suspects" (
	"shop_id" integer NOT NULL,
	"order_id" bigint NOT NULL,
	"since" timestamp with time zone NOT NULL,
	CONSTRAINT "suspects_shop_id_order_id_pk" PRIMARY KEY("shop_id","order_id")
);
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
CREATE TABLE "core"."order_persons" (
	"shop_id" integer NOT NULL,
	"order_id" bigint NOT NULL,
	"buyer_name" text,
	"buyer_email" text,
	"buyer_phone" text,
	"buyer_address" text,
	"comment" text,
	"fields" jsonb,
	"rest" jsonb,
	"content_rest" jsonb,
	CONSTRAINT "order_persons_shop_id_order_id_pk" PRIMARY KEY("shop_id","order_id")
);
--> statement-breakpoint
CREATE TABLE "core"."order_versions" (
	"shop_id" integer NOT NULL,
	"order_id" bigint NOT NULL,
	"valid_until" timestamp with time zone NOT NULL,
	"valid_from" timestamp with time zone NOT NULL,
	"created_on" date,
	"created_at" timestamp with time zone,
	"currency" text,
	"status_code" text NOT NULL,
	"customer_key" text NOT NULL,
	"order_sum" numeric(14, 2),
	"paid_amount" numeric(14, 2),
	"item_count" numeric(14, 3),
	"is_deleted" boolean NOT NULL,
	"is_reread" boolean NOT NULL,
	CONSTRAINT "order_versions_shop_id_order_id_valid_until_pk" PRIMARY KEY("shop_id","order_id","valid_until")
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
	"item_count" numeric(14, 3),
	"weight" numeric(14, 3),
	"delivery_name" text,
	"delivery_id" bigint,
	"order_hash" text,
	"views" integer,
	"fingerprint" text NOT NULL,
	"lines_state" text NOT NULL,
	"lines_fetched_at" timestamp with time zone,
	"lines_attempts" smallint DEFAULT 0 NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	"missing_since" timestamp with time zone,
	"deleted_at" timestamp with time zone,
	"lines_total" numeric(20, 2),
	"list_total" numeric(20, 2),
	"row_changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"stored_at" timestamp with time zone DEFAULT now(),
	CONSTRAINT "orders_shop_id_order_id_pk" PRIMARY KEY("shop_id","order_id"),
	CONSTRAINT "orders_lines_state_check" CHECK ("core"."orders"."lines_state" IN ('pending','ok','failed','doubtful'))
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
CREATE TABLE "ops"."shop_figures" (
	"shop_id" integer PRIMARY KEY NOT NULL,
	"orders" integer DEFAULT 0 NOT NULL,
	"orders_missing" integer DEFAULT 0 NOT NULL,
	"orders_deleted" integer DEFAULT 0 NOT NULL,
	"orders_without_lines" integer DEFAULT 0 NOT NULL,
	"orders_with_doubtful_lines" integer DEFAULT 0 NOT NULL,
	"open_rejections" integer DEFAULT 0 NOT NULL,
	"counted_at" timestamp with time zone NOT NULL,
	"change_ages" jsonb,
	"unclassified" jsonb,
	"rhythm" jsonb,
	"surveyed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "ops"."shop_state" (
	"shop_id" integer PRIMARY KEY NOT NULL,
	"page_limit" integer NOT NULL,
	"page_rows" integer DEFAULT 0 NOT NULL,
	"is_uneven" boolean DEFAULT false NOT NULL,
	"total_meaning" text DEFAULT 'unknown' NOT NULL,
	"wants_both_dates" boolean DEFAULT false NOT NULL,
	"is_undated_partial" boolean DEFAULT false NOT NULL,
	"list_ends_at" integer,
	"freshness" jsonb NOT NULL,
	"concurrency" integer,
	"lowest_concurrency" integer,
	"max_concurrency" integer,
	"max_rps" double precision,
	"found_rps" double precision,
	"limited_by" text,
	"circuit" text,
	"load_rps" double precision,
	"listed_orders" bigint,
	"paused_until" timestamp with time zone,
	"audited_at" timestamp with time zone,
	"audit_orders" bigint,
	"audit_total" bigint,
	"audit_live" bigint,
	"counted_at" timestamp with time zone,
	"counted_through" date,
	"counted_orders" bigint,
	"counted_facets" integer,
	"count_requests_left" double precision,
	"count_every_seconds" double precision,
	"facet_doubts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"completed_at" timestamp with time zone,
	"looked_at" timestamp with time zone,
	"ok_at" timestamp with time zone,
	"pruned_at" timestamp with time zone,
	"clock_warning" text,
	"silence_factor" double precision,
	"line_relations" text[] DEFAULT '{}' NOT NULL,
	"line_relations_at" timestamp with time zone,
	"requests_hour" timestamp with time zone,
	"requests_by_hour" integer[] DEFAULT '{}' NOT NULL,
	"normalizer_version" integer NOT NULL,
	"replay_version" integer,
	"replay_rekey" boolean,
	"replay_stage" text,
	"replay_after" text,
	"replay_done" integer,
	"privacy_policy" text,
	"saved_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shop_state_total_meaning_check" CHECK ("ops"."shop_state"."total_meaning" IN ('unknown','matches','other')),
	CONSTRAINT "shop_state_circuit_check" CHECK ("ops"."shop_state"."circuit" IN ('closed','open','half-open')),
	CONSTRAINT "shop_state_limited_by_check" CHECK ("ops"."shop_state"."limited_by" IN ('rate','slowness','failures')),
	CONSTRAINT "shop_state_freshness_check" CHECK (jsonb_typeof("ops"."shop_state"."freshness") = 'array'),
	CONSTRAINT "shop_state_replay_stage_check" CHECK ("ops"."shop_state"."replay_stage" IN ('orders','users','groups'))
);
--> statement-breakpoint
CREATE TABLE "core"."order_form_fields" (
	"shop_id" integer NOT NULL,
	"field_key" text NOT NULL,
	"is_shown" boolean NOT NULL,
	CONSTRAINT "order_form_fields_shop_id_field_key_pk" PRIMARY KEY("shop_id","field_key")
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
	"shown_code" text GENERATED ALWAYS AS (CASE WHEN is_documented OR stage <> 'unknown' OR is_sale OR name <> status_code OR name_local IS NOT NULL
    OR status_code COLLATE "C" ~ '^[A-Za-z0-9_-]{1,16}$' THEN status_code ELSE '(hidden)' END) STORED NOT NULL,
	"shown_name" text GENERATED ALWAYS AS (coalesce(name_local, nullif(name, status_code), CASE WHEN is_documented OR stage <> 'unknown' OR is_sale OR name <> status_code OR name_local IS NOT NULL
    OR status_code COLLATE "C" ~ '^[A-Za-z0-9_-]{1,16}$' THEN status_code ELSE '(hidden)' END)) STORED NOT NULL,
	CONSTRAINT "order_statuses_shop_id_status_code_pk" PRIMARY KEY("shop_id","status_code"),
	CONSTRAINT "order_statuses_stage_check" CHECK ("core"."order_statuses"."stage" IN ('draft','open','fulfilment','delivered','cancelled','returned','other','unknown'))
);
--> statement-breakpoint
CREATE TABLE "core"."payment_statuses" (
	"shop_id" integer NOT NULL,
	"pay_status_code" text NOT NULL,
	"name" text NOT NULL,
	"name_local" text,
	"is_documented" boolean NOT NULL,
	"shown_code" text GENERATED ALWAYS AS (CASE WHEN is_documented OR name <> pay_status_code OR name_local IS NOT NULL
    OR pay_status_code COLLATE "C" ~ '^[A-Za-z0-9_-]{1,16}$' THEN pay_status_code ELSE '(hidden)' END) STORED NOT NULL,
	"shown_name" text GENERATED ALWAYS AS (coalesce(name_local, nullif(name, pay_status_code), CASE WHEN is_documented OR name <> pay_status_code OR name_local IS NOT NULL
    OR pay_status_code COLLATE "C" ~ '^[A-Za-z0-9_-]{1,16}$' THEN pay_status_code ELSE '(hidden)' END)) STORED NOT NULL,
	CONSTRAINT "payment_statuses_shop_id_pay_status_code_pk" PRIMARY KEY("shop_id","pay_status_code")
);
--> statement-breakpoint
CREATE TABLE "core"."shops" (
	"shop_id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "core"."shops_shop_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"shop_key" text NOT NULL,
	"base_url" text NOT NULL,
	"timezone" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"paused_at" timestamp with time zone,
	"resumed_at" timestamp with time zone,
	"deletion_started_at" timestamp with time zone,
	"versions_since" timestamp with time zone DEFAULT now(),
	CONSTRAINT "shops_shop_key_unique" UNIQUE("shop_key")
);
--> statement-breakpoint
CREATE TABLE "core"."status_versions" (
	"shop_id" integer NOT NULL,
	"status_code" text NOT NULL,
	"valid_until" timestamp with time zone NOT NULL,
	"valid_from" timestamp with time zone NOT NULL,
	"stage" text NOT NULL,
	"is_sale" boolean NOT NULL,
	CONSTRAINT "status_versions_shop_id_status_code_valid_until_pk" PRIMARY KEY("shop_id","status_code","valid_until")
);
--> statement-breakpoint
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
	"is_main" boolean,
	"is_first" boolean,
	"currencies" bigint,
	"all_orders" bigint,
	"all_first_day" date,
	"all_last_day" date,
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
	"items" numeric,
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
	"first_day" date,
	"last_day" date,
	"skus" text[],
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
	"day" date NOT NULL,
	"with_products" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "core"."status_paths" (
	"shop_id" integer NOT NULL,
	"day" date NOT NULL,
	"status_code" text NOT NULL,
	"earlier" text[] NOT NULL,
	"orders" bigint NOT NULL,
	"currency" text,
	"source" text,
	CONSTRAINT "status_paths_key" UNIQUE NULLS NOT DISTINCT("shop_id","day","status_code","earlier","currency","source")
);
--> statement-breakpoint
CREATE TABLE "ops"."view_changes" (
	"shop_id" integer NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"since" timestamp with time zone
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
CREATE TABLE "core"."user_persons" (
	"shop_id" integer NOT NULL,
	"user_oid" bigint NOT NULL,
	"login" text,
	"email" text,
	"phone" text,
	"name" text,
	"org_name" text,
	"gender" text,
	"address" text,
	"images" jsonb,
	"content" jsonb,
	"rest" jsonb,
	CONSTRAINT "user_persons_shop_id_user_oid_pk" PRIMARY KEY("shop_id","user_oid")
);
--> statement-breakpoint
CREATE TABLE "core"."users" (
	"shop_id" integer NOT NULL,
	"user_oid" bigint NOT NULL,
	"fetch_state" text NOT NULL,
	"group_oid" bigint,
	"level" integer,
	"owner_oid" bigint,
	"visible" text,
	"access" text,
	"created_local" timestamp,
	"updated_local" timestamp,
	"created_at" timestamp with time zone,
	"fetched_at" timestamp with time zone,
	CONSTRAINT "users_shop_id_user_oid_pk" PRIMARY KEY("shop_id","user_oid"),
	CONSTRAINT "users_fetch_state_check" CHECK ("core"."users"."fetch_state" IN ('pending','ok','not_found','failed','guest','erased'))
);
--> statement-breakpoint
ALTER TABLE "ops"."alerts" ADD CONSTRAINT "alerts_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."findings" ADD CONSTRAINT "findings_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."payload_fields" ADD CONSTRAINT "payload_fields_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."audit_parts" ADD CONSTRAINT "audit_parts_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."days" ADD CONSTRAINT "days_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."erasures" ADD CONSTRAINT "erasures_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."guest_secrets" ADD CONSTRAINT "guest_secrets_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."leases" ADD CONSTRAINT "leases_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."rejections" ADD CONSTRAINT "rejections_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."runs" ADD CONSTRAINT "runs_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."suspects" ADD CONSTRAINT "suspects_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_history" ADD CONSTRAINT "order_history_shop_id_order_id_orders_shop_id_order_id_fk" FOREIGN KEY ("shop_id","order_id") REFERENCES "core"."orders"("shop_id","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_lines" ADD CONSTRAINT "order_lines_shop_id_order_id_orders_shop_id_order_id_fk" FOREIGN KEY ("shop_id","order_id") REFERENCES "core"."orders"("shop_id","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_persons" ADD CONSTRAINT "order_persons_shop_id_order_id_orders_shop_id_order_id_fk" FOREIGN KEY ("shop_id","order_id") REFERENCES "core"."orders"("shop_id","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_versions" ADD CONSTRAINT "order_versions_shop_id_order_id_orders_shop_id_order_id_fk" FOREIGN KEY ("shop_id","order_id") REFERENCES "core"."orders"("shop_id","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_status_code_order_statuses_shop_id_status_code_fk" FOREIGN KEY ("shop_id","status_code") REFERENCES "core"."order_statuses"("shop_id","status_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_pay_status_code_payment_statuses_shop_id_pay_status_code_fk" FOREIGN KEY ("shop_id","pay_status_code") REFERENCES "core"."payment_statuses"("shop_id","pay_status_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_buyer_oid_users_shop_id_user_oid_fk" FOREIGN KEY ("shop_id","buyer_oid") REFERENCES "core"."users"("shop_id","user_oid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."shop_figures" ADD CONSTRAINT "shop_figures_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD CONSTRAINT "shop_state_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_form_fields" ADD CONSTRAINT "order_form_fields_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_statuses" ADD CONSTRAINT "order_statuses_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."payment_statuses" ADD CONSTRAINT "payment_statuses_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."status_versions" ADD CONSTRAINT "status_versions_shop_id_status_code_order_statuses_shop_id_status_code_fk" FOREIGN KEY ("shop_id","status_code") REFERENCES "core"."order_statuses"("shop_id","status_code") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."user_groups" ADD CONSTRAINT "user_groups_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."user_persons" ADD CONSTRAINT "user_persons_shop_id_user_oid_users_shop_id_user_oid_fk" FOREIGN KEY ("shop_id","user_oid") REFERENCES "core"."users"("shop_id","user_oid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."users" ADD CONSTRAINT "users_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_open_key" ON "ops"."alerts" USING btree ("shop_id","cause") WHERE "ops"."alerts"."closed_at" IS NULL;--> statement-breakpoint
CREATE INDEX "days_unverified_idx" ON "ops"."days" USING btree ("shop_id","day") WHERE "ops"."days"."verified_at" IS NULL;--> statement-breakpoint
CREATE INDEX "days_verified_soon_idx" ON "ops"."days" USING btree ("shop_id","day") WHERE "ops"."days"."verified_at" AT TIME ZONE 'UTC' < "ops"."days"."day" + 2;--> statement-breakpoint
CREATE INDEX "rejections_open_idx" ON "ops"."rejections" USING btree ("shop_id","resource","source_key") WHERE "ops"."rejections"."resolved_at" IS NULL;--> statement-breakpoint
CREATE INDEX "rejections_first_seen_idx" ON "ops"."rejections" USING btree ("shop_id","first_seen_at");--> statement-breakpoint
CREATE INDEX "runs_shop_started_idx" ON "ops"."runs" USING btree ("shop_id","started_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "runs_open_idx" ON "ops"."runs" USING btree ("shop_id") WHERE "ops"."runs"."status" = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "order_history_current_idx" ON "core"."order_history" USING btree ("shop_id","order_id") WHERE "core"."order_history"."observed_until" IS NULL;--> statement-breakpoint
CREATE INDEX "order_lines_product_idx" ON "core"."order_lines" USING btree ("shop_id","product_oid","order_id");--> statement-breakpoint
CREATE INDEX "order_versions_created_on_idx" ON "core"."order_versions" USING btree ("created_on");--> statement-breakpoint
CREATE INDEX "order_versions_valid_until_idx" ON "core"."order_versions" USING brin ("valid_until");--> statement-breakpoint
CREATE INDEX "orders_shop_created_local_idx" ON "core"."orders" USING btree ("shop_id","created_local");--> statement-breakpoint
CREATE INDEX "orders_created_on_idx" ON "core"."orders" USING btree ("created_on");--> statement-breakpoint
CREATE INDEX "orders_shop_customer_created_idx" ON "core"."orders" USING btree ("shop_id","customer_key","created_at","order_id");--> statement-breakpoint
CREATE INDEX "orders_buyer_idx" ON "core"."orders" USING btree ("buyer_oid","shop_id");--> statement-breakpoint
CREATE INDEX "orders_lines_due_idx" ON "core"."orders" USING btree ("shop_id","lines_fetched_at") WHERE "core"."orders"."lines_state" <> 'ok';--> statement-breakpoint
CREATE INDEX "orders_missing_idx" ON "core"."orders" USING btree ("shop_id","created_on") WHERE "core"."orders"."missing_since" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "orders_unconfirmed_idx" ON "core"."orders" USING btree ("shop_id","created_on") WHERE "core"."orders"."missing_since" IS NOT NULL AND "core"."orders"."deleted_at" IS NULL;--> statement-breakpoint
CREATE INDEX "orders_counts_idx" ON "core"."orders" USING btree ("shop_id","created_on","status_code","pay_status_code","order_sum") WHERE "core"."orders"."missing_since" IS NULL AND "core"."orders"."deleted_at" IS NULL;--> statement-breakpoint
CREATE INDEX "orders_row_changed_idx" ON "core"."orders" USING btree ("row_changed_at");--> statement-breakpoint
CREATE INDEX "raw_order_contents_age_idx" ON "raw"."order_contents" USING btree ("shop_id","fetched_at");--> statement-breakpoint
CREATE INDEX "raw_orders_age_idx" ON "raw"."orders" USING btree ("shop_id","fetched_at");--> statement-breakpoint
CREATE INDEX "raw_users_age_idx" ON "raw"."users" USING btree ("shop_id","fetched_at");

-- ======================================================================================================================
-- Schemas of the views, and who may read them
-- ======================================================================================================================
CREATE SCHEMA bi;
CREATE SCHEMA bi_pii;

-- Roles belong to the whole cluster. They may exist already, another database may be creating them right now, or the
-- migrating user may lack CREATEROLE, as on managed services. None of that stops a migration.
DO $$
DECLARE
  reader text;
BEGIN
  FOREACH reader IN ARRAY ARRAY['bi_reader', 'bi_pii_reader'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = reader) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', reader);
      END IF;
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE NOTICE 'Role % was not created: % may not create roles.', reader, current_user
          USING HINT = 'Have an administrator create it, then grant it USAGE on the schema and SELECT on all its views';
    END;
  END LOOP;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'bi_reader') THEN
    GRANT USAGE ON SCHEMA bi TO bi_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA bi GRANT SELECT ON TABLES TO bi_reader;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'bi_pii_reader') THEN
    GRANT USAGE ON SCHEMA bi_pii TO bi_pii_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA bi_pii GRANT SELECT ON TABLES TO bi_pii_reader;
  END IF;
END $$;

DO $$
BEGIN
  IF 2 = (SELECT count(*) FROM pg_roles WHERE rolname IN ('bi_reader', 'bi_pii_reader'))
    AND NOT pg_has_role('bi_pii_reader', 'bi_reader', 'MEMBER') THEN
    GRANT bi_reader TO bi_pii_reader;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE NOTICE 'bi_pii_reader was not made a member of bi_reader: % may not grant that role.', current_user
      USING HINT = 'Have an administrator run: GRANT bi_reader TO bi_pii_reader';
END $$;

-- Anyone who knows the secret can identify guests by their e-mail addresses, and test whether a person was erased. Default
-- privileges may allow others to read every new table.
DO $$
DECLARE
  private regclass;
  granted regrole;
BEGIN
  FOREACH private IN ARRAY ARRAY['ops.guest_secrets', 'ops.erasures']::regclass[] LOOP
    EXECUTE format('REVOKE ALL ON %s FROM PUBLIC', private);
    FOR granted IN
      SELECT a.grantee FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
      WHERE c.oid = private AND a.grantee NOT IN (0, c.relowner)
    LOOP
      EXECUTE format('REVOKE ALL ON %s FROM %s', private, granted);
    END LOOP;
  END LOOP;
END $$;

-- With a publication for all tables, rows of a table without a key could not be deleted.
ALTER TABLE core.customer_cuts REPLICA IDENTITY FULL;
ALTER TABLE core.customer_sums REPLICA IDENTITY FULL;
ALTER TABLE core.daily_sums REPLICA IDENTITY FULL;
ALTER TABLE core.product_months REPLICA IDENTITY FULL;
ALTER TABLE core.status_paths REPLICA IDENTITY FULL;
ALTER TABLE ops.stale_days REPLICA IDENTITY FULL;
ALTER TABLE ops.stale_customers REPLICA IDENTITY FULL;
ALTER TABLE ops.view_changes REPLICA IDENTITY FULL;

-- A Citus has no triggers that record what reports said.
DO $$
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    ALTER TABLE core.shops ALTER COLUMN versions_since DROP DEFAULT;
  END IF;
END $$;

-- ======================================================================================================================
-- The role of workers
-- ======================================================================================================================
-- The role of workers and commands: it reads and writes rows, and owns nothing. The migrations are the owner's.
-- Like the readers' roles it belongs to the whole cluster, and may exist already.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'order_sync_worker') THEN
    CREATE ROLE order_sync_worker NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE NOTICE 'Role order_sync_worker was not created: % may not create roles.', current_user
      USING HINT = 'Nothing needs it unless workers have a login of their own; then have an administrator run CREATE ROLE order_sync_worker, and run order-sync migrate again';
END $$;

-- ======================================================================================================================
-- Comments on schemas and tables
-- ======================================================================================================================
COMMENT ON SCHEMA core IS 'The shops'' records, typed and cleaned, one table per kind. Persons are in order_persons and user_persons alone; use bi for reports.';
COMMENT ON SCHEMA raw IS 'What is known to be impersonal in the shop''s last response for each record, so that it can be interpreted again without another request.';
COMMENT ON SCHEMA ops IS 'Bookkeeping of the synchronization: verified days, runs, rejected values, leases and shop state.';
COMMENT ON SCHEMA bi IS 'Views for reports and BI tools: joins done, one meaning per column, no names, e-mails, phone numbers or addresses of buyers. Use this schema instead of core.';
COMMENT ON SCHEMA bi_pii IS 'Views with personal data of buyers, for people who need to contact them. Their keys join with the views of bi.';

COMMENT ON TABLE core.shops IS 'One row per shop that is synchronized into this warehouse.';
COMMENT ON COLUMN core.shops.shop_id IS 'Number of the shop in this warehouse; first part of almost every key.';
COMMENT ON COLUMN core.shops.shop_key IS 'Short name of the shop, from the settings.';
COMMENT ON COLUMN core.shops.base_url IS 'Address of the shop''s API.';
COMMENT ON COLUMN core.shops.timezone IS 'IANA time zone of the shop: its API sends times without a zone.';
COMMENT ON COLUMN core.shops.created_at IS 'When the shop was registered here.';
COMMENT ON COLUMN core.shops.paused_at IS 'Since when the shop is not synced until somebody resumes it. NULL: it is not paused.';
COMMENT ON COLUMN core.shops.resumed_at IS 'When its last pause ended. NULL: it was never resumed.';
COMMENT ON COLUMN core.shops.deletion_started_at IS 'Since when the shop is being deleted; its rows are incomplete. NULL: it is not.';
COMMENT ON COLUMN core.shops.versions_since IS 'Since when core.order_versions has what reports said of the shop''s orders. NULL: it is not recorded here, as on a Citus.';

COMMENT ON TABLE core.order_statuses IS 'One row per shop and order status code. Edit it as you like: name your own codes, decide what is a sale. A sync adds unknown codes and overwrites nothing.';
COMMENT ON COLUMN core.order_statuses.shop_id IS 'Shop that uses the code.';
COMMENT ON COLUMN core.order_statuses.status_code IS 'Code as the shop sends it; empty text is "no status".';
COMMENT ON COLUMN core.order_statuses.name IS 'English name; for a new code, the code itself.';
COMMENT ON COLUMN core.order_statuses.name_local IS 'Name in the shop''s language, shown instead of the English one. NULL: not entered.';
COMMENT ON COLUMN core.order_statuses.stage IS 'Stage of an order with this status: draft, open, fulfilment, delivered, cancelled, returned, other, or unknown until you classify it.';
COMMENT ON COLUMN core.order_statuses.stage_order IS 'Position of the status in the usual course of an order, for sorting. NULL: not part of it.';
COMMENT ON COLUMN core.order_statuses.is_sale IS 'Whether orders with this status count as revenue. False for a new code.';
COMMENT ON COLUMN core.order_statuses.is_final IS 'Whether an order normally stays in this status.';
COMMENT ON COLUMN core.order_statuses.is_documented IS 'Whether the code is in the platform''s documentation; false for the shop''s own.';
COMMENT ON COLUMN core.order_statuses.shown_code IS 'The code as bi and reports show it: the code itself, or (hidden) for one that is not documented, does not look like a code, and that nobody classified: it may hold a person.';
COMMENT ON COLUMN core.order_statuses.shown_name IS 'What bi calls the status: the name that the owner gave it, else the documented one, else the code as bi shows it.';

COMMENT ON TABLE core.payment_statuses IS 'One row per shop and payment status code. Edit it as you like. A sync adds unknown codes and overwrites nothing.';
COMMENT ON COLUMN core.payment_statuses.shop_id IS 'Shop that uses the code.';
COMMENT ON COLUMN core.payment_statuses.pay_status_code IS 'Code as the shop sends it; empty text if it sends none.';
COMMENT ON COLUMN core.payment_statuses.name IS 'English name; for a new code, the code itself.';
COMMENT ON COLUMN core.payment_statuses.name_local IS 'Name in the shop''s language, shown instead of the English one. NULL: not entered.';
COMMENT ON COLUMN core.payment_statuses.is_documented IS 'Whether the code is in the platform''s documentation; false for the shop''s own.';
COMMENT ON COLUMN core.payment_statuses.shown_code IS 'The code as bi and reports show it: the code itself, or (hidden) for one that is not documented, does not look like a code, and that nobody named: it may hold a person.';
COMMENT ON COLUMN core.payment_statuses.shown_name IS 'What bi calls the status: the name that the owner gave it, else the documented one, else the code as bi shows it.';

COMMENT ON TABLE core.order_form_fields IS 'Which extra order fields bi.order_fields and bi.sales_by_field show. Edit it as you like, or use order-sync fields; it is empty at first, and a sync never writes to it. Fields without a row are hidden.';
COMMENT ON COLUMN core.order_form_fields.shop_id IS 'Shop whose order form has the field.';
COMMENT ON COLUMN core.order_form_fields.field_key IS 'Key of the field, exactly as in core.order_persons.fields.';
COMMENT ON COLUMN core.order_form_fields.is_shown IS 'True: every value of the field is shown. False: all are hidden, and nobody is asked again. Key, name and label are shown either way.';

COMMENT ON TABLE core.user_groups IS 'Groups of registered buyers, as a tree.';
COMMENT ON COLUMN core.user_groups.shop_id IS 'Shop of the group.';
COMMENT ON COLUMN core.user_groups.group_oid IS 'The shop''s number of the group.';
COMMENT ON COLUMN core.user_groups.parent_oid IS 'Group above this one; 0 or NULL at the top.';
COMMENT ON COLUMN core.user_groups.name IS 'Name that administrators see. NULL: not sent.';
COMMENT ON COLUMN core.user_groups.url IS 'Part of the group''s web address. NULL: none.';
COMMENT ON COLUMN core.user_groups.type IS 'Type as the shop sends it; its values are not documented. NULL: not sent.';
COMMENT ON COLUMN core.user_groups.template IS 'Identifier of the page template. NULL: none.';
COMMENT ON COLUMN core.user_groups.visible IS 'Visibility as the shop sends it; its values are not documented. NULL: not sent.';
COMMENT ON COLUMN core.user_groups.sort IS 'Position among the groups of the same parent. NULL: not sent.';
COMMENT ON COLUMN core.user_groups.owner_oid IS 'Number of the user who owns the group. NULL: not sent.';
COMMENT ON COLUMN core.user_groups.access IS 'Access rights as a code of the shop; its values are not documented. NULL: not sent.';
COMMENT ON COLUMN core.user_groups.created_local IS 'When it was created, in the shop''s local time. NULL: not sent or not readable.';
COMMENT ON COLUMN core.user_groups.updated_local IS 'When it was last changed, in the shop''s local time. NULL: not sent or not readable.';
COMMENT ON COLUMN core.user_groups.deleted_at IS 'When the group was found to be deleted from the shop. NULL: it exists.';

COMMENT ON TABLE core.users IS 'One row per account that placed an order, without its person: see core.user_persons.';
COMMENT ON COLUMN core.users.shop_id IS 'Shop of the user.';
COMMENT ON COLUMN core.users.user_oid IS 'The shop''s number of the user; orders refer to it as buyer_oid.';
COMMENT ON COLUMN core.users.fetch_state IS 'Whether the other columns are filled: ok; pending: not fetched yet; not_found: the shop has no such user; failed: will be retried; guest: never fetched; erased: stands for the account of an erased person, under a number that the shop does not use.';
COMMENT ON COLUMN core.users.group_oid IS 'Group the user belongs to, see core.user_groups. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.level IS 'Level of the user; the shop defines its meaning. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.owner_oid IS 'Number of the user who owns the record. NULL: not sent.';
COMMENT ON COLUMN core.users.visible IS 'Visibility as the shop sends it; its values are not documented. NULL: not sent.';
COMMENT ON COLUMN core.users.access IS 'Access rights as a code of the shop; its values are not documented. NULL: not sent.';
COMMENT ON COLUMN core.users.created_local IS 'When the user registered, in the shop''s local time. NULL: not fetched or not readable.';
COMMENT ON COLUMN core.users.updated_local IS 'When the record was last changed, in the shop''s local time. NULL: not fetched or not readable.';
COMMENT ON COLUMN core.users.created_at IS 'When the user registered, as a timestamp. NULL: not fetched or not readable.';
COMMENT ON COLUMN core.users.fetched_at IS 'When the user was last requested. NULL: never.';

COMMENT ON TABLE core.user_persons IS 'What identifies the person of an account, or was entered by the person: stored here alone. No row: nothing is stored of the person. Personal data.';
COMMENT ON COLUMN core.user_persons.shop_id IS 'Shop of the account.';
COMMENT ON COLUMN core.user_persons.user_oid IS 'Account of the person.';
COMMENT ON COLUMN core.user_persons.login IS 'Login name. Personal data. NULL: not sent.';
COMMENT ON COLUMN core.user_persons.email IS 'E-mail address. Personal data. NULL: not sent.';
COMMENT ON COLUMN core.user_persons.phone IS 'Phone number. Personal data. NULL: not sent.';
COMMENT ON COLUMN core.user_persons.name IS 'Name of the user. Personal data. NULL: not sent.';
COMMENT ON COLUMN core.user_persons.org_name IS 'Organization that the user entered. Personal data. NULL: none.';
COMMENT ON COLUMN core.user_persons.gender IS 'Gender, as the shop words it. Personal data. NULL: not sent.';
COMMENT ON COLUMN core.user_persons.address IS 'Address of the user. Personal data. NULL: not sent.';
COMMENT ON COLUMN core.user_persons.images IS 'Pictures of the user, as the shop lists them. Personal data. NULL: none.';
COMMENT ON COLUMN core.user_persons.content IS 'All fields of the profile as the shop sent them. Personal data. NULL: none.';
COMMENT ON COLUMN core.user_persons.rest IS 'Every other field of the account''s record that is not known to be impersonal. Personal data. NULL: none.';

COMMENT ON TABLE core.orders IS 'One row per order, without its person: see core.order_persons.';
COMMENT ON COLUMN core.orders.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.orders.order_id IS 'The shop''s order number.';
COMMENT ON COLUMN core.orders.status_code IS 'Status code, see core.order_statuses; empty text: the shop''s "no status", or no readable one.';
COMMENT ON COLUMN core.orders.pay_status_code IS 'Payment status code, see core.payment_statuses; empty text if none was sent or readable.';
COMMENT ON COLUMN core.orders.color IS 'Colour with which staff marked the order. NULL: none.';
COMMENT ON COLUMN core.orders.buyer_oid IS 'The shop''s number of the buyer, see core.users; 6 is the guest. NULL: not sent.';
COMMENT ON COLUMN core.orders.is_guest IS 'Whether the order has no registered buyer.';
COMMENT ON COLUMN core.orders.customer_key IS 'Identifies a customer: u: and the number of a registered buyer; g: and a keyed hash of a guest''s e-mail or phone; o: and the order number of a guest who left neither.';
COMMENT ON COLUMN core.orders.created_on IS 'Day the order was placed, in the shop''s time zone. NULL: no readable date.';
COMMENT ON COLUMN core.orders.created_local IS 'When it was placed, in the shop''s local time. NULL: no readable date.';
COMMENT ON COLUMN core.orders.created_at IS 'When it was placed, as a timestamp. NULL: no readable date.';
COMMENT ON COLUMN core.orders.updated_local IS 'When the shop last changed it, in the shop''s local time. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.updated_at IS 'When the shop last changed it, as a timestamp. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.currency IS 'Currency of all amounts of the order, as the shop writes it. NULL: not sent.';
COMMENT ON COLUMN core.orders.pay_method IS 'Code of the payment method. NULL: not chosen.';
COMMENT ON COLUMN core.orders.order_sum IS 'Total of the order in its currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.paid_amount IS 'Amount paid so far in its currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.delivery_price IS 'Price of the delivery in its currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.discount_raw IS 'Discount on the order as the shop wrote it. NULL: none.';
COMMENT ON COLUMN core.orders.discount_percent IS 'The same discount in percent (12.5 is 12.5 %). NULL: none, or not a percentage.';
COMMENT ON COLUMN core.orders.item_count IS 'Number of items, as the shop counts them. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.weight IS 'Weight in the shop''s own unit, which is not documented. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.delivery_name IS 'Name of the delivery method. NULL: none.';
COMMENT ON COLUMN core.orders.delivery_id IS 'Number of the delivery method. NULL: none.';
COMMENT ON COLUMN core.orders.order_hash IS 'The shop''s hash of the order; what it is computed from is not documented. NULL: not sent.';
COMMENT ON COLUMN core.orders.views IS 'View counter of the shop; what it counts is not documented. NULL: not sent. May be outdated: if only this changes, the order is not updated.';
COMMENT ON COLUMN core.orders.fingerprint IS 'Hash of the order as listed, without the view counter; differs if the shop changed anything.';
COMMENT ON COLUMN core.orders.lines_state IS 'Whether the lines in core.order_lines are up to date: ok; pending: not fetched yet; failed: the last attempt failed; older lines are kept; doubtful: they contradict the order''s count or sum. All but ok are retried.';
COMMENT ON COLUMN core.orders.lines_fetched_at IS 'When the lines were last requested, successfully or not. NULL: never.';
COMMENT ON COLUMN core.orders.lines_attempts IS 'Failed attempts to fetch the lines since the last success; if they are doubtful, how often they were requested again.';
COMMENT ON COLUMN core.orders.first_seen_at IS 'When this warehouse first saw the order.';
COMMENT ON COLUMN core.orders.changed_at IS 'When this warehouse last saw the order change.';
COMMENT ON COLUMN core.orders.missing_since IS 'When the shop''s list first lacked the order; cleared when it is seen again. NULL: it is listed.';
COMMENT ON COLUMN core.orders.deleted_at IS 'When the order was found to be deleted from the shop; cleared when it is seen again. NULL: it exists.';
COMMENT ON COLUMN core.orders.lines_total IS 'Sum of the totals of the lines held. NULL: no line, or one without a total.';
COMMENT ON COLUMN core.orders.list_total IS 'Sum of the totals of the lines held before discount. NULL: no line, or one without such a total.';
COMMENT ON COLUMN core.orders.row_changed_at IS 'When anything that the views show of the order was last written: its row, lines, history or marks. Grows from one transaction of a shop to the next.';
COMMENT ON COLUMN core.orders.stored_at IS 'When the order was first written here. NULL: before this was recorded.';

COMMENT ON TABLE core.order_persons IS 'What identifies or was typed by the person of an order, and whatever is not known to be impersonal: stored here alone. No row: nothing is stored of the person. Personal data.';
COMMENT ON COLUMN core.order_persons.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.order_persons.order_id IS 'Order of the person.';
COMMENT ON COLUMN core.order_persons.buyer_name IS 'Name as entered in the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.order_persons.buyer_email IS 'E-mail address as entered in the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.order_persons.buyer_phone IS 'Phone number as entered in the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.order_persons.buyer_address IS 'Address as entered in the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.order_persons.comment IS 'Comment on the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.order_persons.fields IS 'Extra fields of the order form: key to value, name and label. Personal data. NULL: none.';
COMMENT ON COLUMN core.order_persons.rest IS 'Every other field of the order''s list entry that is not known to be impersonal, and values that could not be read, as the shop sent them. Personal data. NULL: none.';
COMMENT ON COLUMN core.order_persons.content_rest IS 'The same of the response with the order''s lines. Personal data. NULL: none.';

COMMENT ON TABLE core.order_lines IS 'One row per line of an order. All lines of an order are replaced together.';
COMMENT ON COLUMN core.order_lines.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.order_lines.order_id IS 'Order the line belongs to.';
COMMENT ON COLUMN core.order_lines.line_no IS 'Position of the line in its order, from 1.';
COMMENT ON COLUMN core.order_lines.line_oid IS 'The shop''s key of the line: product number, underscore, hash of the chosen options. NULL: not sent.';
COMMENT ON COLUMN core.order_lines.product_oid IS 'The shop''s number of the product, from line_oid. NULL: it contains none.';
COMMENT ON COLUMN core.order_lines.spec_hash IS 'Hash of the chosen options, from line_oid; distinguishes variants. NULL: it contains none.';
COMMENT ON COLUMN core.order_lines.code IS 'Code of the line in the shop. NULL: not sent.';
COMMENT ON COLUMN core.order_lines.product_name IS 'Name of the product as written in this order. NULL: not sent.';
COMMENT ON COLUMN core.order_lines.sku IS 'Article number. NULL: none.';
COMMENT ON COLUMN core.order_lines.quantity IS 'Quantity ordered. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.unit_price IS 'Price of one unit after discount, in the order''s currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.line_total IS 'Total of the line after discount, in the order''s currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.list_price IS 'Price of one unit before discount. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.list_total IS 'Total of the line before discount. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.discount_raw IS 'Discount on the line as the shop wrote it. NULL: none.';
COMMENT ON COLUMN core.order_lines.discount_percent IS 'The same discount in percent (12.5 is 12.5 %). NULL: none, or not a percentage.';

COMMENT ON TABLE core.order_history IS 'The states in which an order was seen. The shop keeps no history: a state that came and went between two readings is missing here, and a change is only known to lie between not_before and observed_at.';
COMMENT ON COLUMN core.order_history.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.order_history.order_id IS 'Order that was in this state.';
COMMENT ON COLUMN core.order_history.seq IS 'Position of the state in the sequence in which the order''s states were seen.';
COMMENT ON COLUMN core.order_history.status_code IS 'Status code in this state.';
COMMENT ON COLUMN core.order_history.pay_status_code IS 'Payment status code in this state.';
COMMENT ON COLUMN core.order_history.order_sum IS 'Order total in this state, in the order''s currency. NULL: unknown.';
COMMENT ON COLUMN core.order_history.paid_amount IS 'Amount paid in this state, in the order''s currency. NULL: unknown.';
COMMENT ON COLUMN core.order_history.source_updated_at IS 'Last change according to the shop, when the state was first seen. NULL: unknown.';
COMMENT ON COLUMN core.order_history.not_before IS 'When the order was last seen in the previous state: it changed later. NULL: no previous state.';
COMMENT ON COLUMN core.order_history.observed_at IS 'When the order was first seen in this state: it changed earlier.';
COMMENT ON COLUMN core.order_history.observed_until IS 'When the order was first seen in the next state. NULL: this is the current one.';
COMMENT ON COLUMN core.order_history.is_initial IS 'Whether the order was first seen in this state; it may have had others before.';

COMMENT ON TABLE core.customer_cuts IS 'Values that divide a shop''s customers in a currency into fifths; no row for fewer than five customers. Valid only for shops without a mark in ops.stale_customers: read core.customer_cut_totals.';
COMMENT ON COLUMN core.customer_cuts.shop_id IS 'Shop of the customers.';
COMMENT ON COLUMN core.customer_cuts.currency IS 'Currency of their sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_cuts.days IS 'The four dates of the latest sale at which a fifth begins.';
COMMENT ON COLUMN core.customer_cuts.orders IS 'The four numbers of sales at which a fifth begins, among customers with more than one sale; NULL if there are none.';
COMMENT ON COLUMN core.customer_cuts.revenues IS 'The four sums of sales at which a fifth begins.';

COMMENT ON TABLE core.customer_sums IS 'Sums of the sales by shop, customer and currency. Valid only for customers without a mark in ops.stale_customers: read core.customer_totals.';
COMMENT ON COLUMN core.customer_sums.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.customer_sums.customer_key IS 'Customer, as in core.orders.';
COMMENT ON COLUMN core.customer_sums.currency IS 'Currency of the sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_sums.orders IS 'Number of sales.';
COMMENT ON COLUMN core.customer_sums.revenue IS 'Sum of order_sum. NULL: no sale has one.';
COMMENT ON COLUMN core.customer_sums.priced_orders IS 'Sales that have an order_sum.';
COMMENT ON COLUMN core.customer_sums.first_day IS 'Day of the first sale. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_sums.last_day IS 'Day of the latest sale. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_sums.new_on IS 'Day of the customer''s first sale in any currency, in the row of that currency. NULL: it was in another currency, or has no readable date.';
COMMENT ON COLUMN core.customer_sums.is_guest IS 'Whether none of the sales has a registered buyer.';
COMMENT ON COLUMN core.customer_sums.buyer_oid IS 'Registered buyer, see core.users. NULL: a guest.';
COMMENT ON COLUMN core.customer_sums.months IS 'First days of the months with a sale, in order. NULL: no sale has a readable date.';
COMMENT ON COLUMN core.customer_sums.month_orders IS 'Number of sales in each of these months. NULL: no sale has a readable date.';
COMMENT ON COLUMN core.customer_sums.month_revenues IS 'Sum of order_sum in each of these months; NULL if no sale has one.';
COMMENT ON COLUMN core.customer_sums.is_main IS 'Whether most of the customer''s sales are in this currency. NULL: to be recomputed.';
COMMENT ON COLUMN core.customer_sums.is_first IS 'Whether the customer''s first sale is in this currency. NULL: to be recomputed.';
COMMENT ON COLUMN core.customer_sums.currencies IS 'Number of currencies of the customer''s sales. NULL: to be recomputed.';
COMMENT ON COLUMN core.customer_sums.all_orders IS 'Sales of the customer in all currencies. NULL: to be recomputed.';
COMMENT ON COLUMN core.customer_sums.all_first_day IS 'Day of the customer''s first sale in any currency. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_sums.all_last_day IS 'Day of the customer''s latest sale in any currency. NULL: none has a readable date.';

COMMENT ON TABLE core.daily_sums IS 'Sums of the orders that are not deleted, by shop, day and currency. Valid only for days without a mark in ops.stale_days: read core.daily_totals.';
COMMENT ON COLUMN core.daily_sums.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.daily_sums.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.daily_sums.currency IS 'Currency of the orders. NULL: not sent.';
COMMENT ON COLUMN core.daily_sums.orders IS 'Orders that are sales.';
COMMENT ON COLUMN core.daily_sums.revenue IS 'Sum of order_sum of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_sums.priced_orders IS 'Sales that have an order_sum.';
COMMENT ON COLUMN core.daily_sums.paid IS 'Sum of paid_amount of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_sums.items IS 'Sum of item_count of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_sums.customers IS 'Number of distinct customers of the sales.';
COMMENT ON COLUMN core.daily_sums.cancelled_orders IS 'Orders whose stage is cancelled.';
COMMENT ON COLUMN core.daily_sums.returned_orders IS 'Orders whose stage is returned.';
COMMENT ON COLUMN core.daily_sums.draft_orders IS 'Orders whose stage is draft.';
COMMENT ON COLUMN core.daily_sums.other_orders IS 'Other orders that are not sales.';

COMMENT ON TABLE core.product_months IS 'Number of sales with a product, by shop and month. Valid only for months without a mark in ops.stale_days: read core.product_month_totals.';
COMMENT ON COLUMN core.product_months.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.product_months.month IS 'First day of the month in which the orders were placed.';
COMMENT ON COLUMN core.product_months.product_oid IS 'Product. NULL: all sales with any known product.';
COMMENT ON COLUMN core.product_months.orders IS 'Sales with at least one line of the product; 0 if it was only in orders that are none.';
COMMENT ON COLUMN core.product_months.first_day IS 'Day of the first sale in the month. NULL: none.';
COMMENT ON COLUMN core.product_months.last_day IS 'Day of the latest sale in the month. NULL: none.';
COMMENT ON COLUMN core.product_months.skus IS 'Article numbers in the lines of the product in the month, sorted. NULL: none, or the row is about all products.';

COMMENT ON TABLE core.status_paths IS 'Number of orders that are not deleted, by shop, day, status and earlier statuses. Valid only for days without a mark in ops.stale_days: read core.status_path_totals.';
COMMENT ON COLUMN core.status_paths.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.status_paths.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.status_paths.status_code IS 'Current status of the orders.';
COMMENT ON COLUMN core.status_paths.earlier IS 'Other statuses in which the orders were seen before, sorted.';
COMMENT ON COLUMN core.status_paths.orders IS 'Number of orders.';
COMMENT ON COLUMN core.status_paths.currency IS 'Currency of the orders. NULL: not sent.';
COMMENT ON COLUMN core.status_paths.source IS 'What buyers entered in the extra field source, shortened to 100 characters, if the owner shows that field. NULL: nothing, or hidden.';

COMMENT ON TABLE raw.order_contents IS 'The last response with the lines of each order, as far as it is known to be impersonal: core.order_persons has the rest.';
COMMENT ON COLUMN raw.order_contents.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.order_contents.order_id IS 'Order it describes.';
COMMENT ON COLUMN raw.order_contents.payload IS 'The response as JSON.';
COMMENT ON COLUMN raw.order_contents.fetched_at IS 'When it was received.';

COMMENT ON TABLE raw.orders IS 'The last list entry of each order, as far as it is known to be impersonal: core.order_persons has the rest.';
COMMENT ON COLUMN raw.orders.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.orders.order_id IS 'Order it describes.';
COMMENT ON COLUMN raw.orders.payload IS 'The entry as JSON.';
COMMENT ON COLUMN raw.orders.fetched_at IS 'When it was received.';

COMMENT ON TABLE raw.user_groups IS 'The last list entry of each user group, as received.';
COMMENT ON COLUMN raw.user_groups.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.user_groups.group_oid IS 'Group it describes.';
COMMENT ON COLUMN raw.user_groups.payload IS 'The entry as JSON.';
COMMENT ON COLUMN raw.user_groups.fetched_at IS 'When it was received.';

COMMENT ON TABLE raw.users IS 'The last response for each user, as far as it is known to be impersonal: core.user_persons has the rest.';
COMMENT ON COLUMN raw.users.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.users.user_key IS 'Key by which the user was requested.';
COMMENT ON COLUMN raw.users.payload IS 'The response as JSON. NULL: the shop knows no such user.';
COMMENT ON COLUMN raw.users.http_status IS 'HTTP status of the response. NULL: not recorded.';
COMMENT ON COLUMN raw.users.fetched_at IS 'When it was received.';

COMMENT ON TABLE ops.alerts IS 'What operators are told about shops: one row per shop and cause from when it was found until it was over, with the state of its delivery to the webhook.';
COMMENT ON COLUMN ops.alerts.shop_id IS 'Shop that the alert is about.';
COMMENT ON COLUMN ops.alerts.alert_id IS 'Number of the alert.';
COMMENT ON COLUMN ops.alerts.cause IS 'What is wrong: failing, stale, credentials, deletions, silent, rejections, clock, drift or crashes.';
COMMENT ON COLUMN ops.alerts.text IS 'The same in words, with what to do. Holds no personal data.';
COMMENT ON COLUMN ops.alerts.raised_at IS 'When it was found.';
COMMENT ON COLUMN ops.alerts.told_at IS 'When the webhook took the alert. NULL: not yet, or given up.';
COMMENT ON COLUMN ops.alerts.recovered_at IS 'When it was over. NULL: it still lasts, or was given up before.';
COMMENT ON COLUMN ops.alerts.recovery_told_at IS 'When the webhook took the message of recovery. NULL: not yet, or there is none to send.';
COMMENT ON COLUMN ops.alerts.closed_at IS 'When it recovered or was given up: from then on the same cause raises a new alert. NULL: it is open.';

COMMENT ON TABLE ops.findings IS 'What the latest sweeps found wrong with a shop, other than a failure: alerts are raised from it. A row is removed once a sweep finds that it is over.';
COMMENT ON COLUMN ops.findings.shop_id IS 'Shop of the sweep.';
COMMENT ON COLUMN ops.findings.cause IS 'What is wrong: credentials, deletions, clock, drift or crashes.';
COMMENT ON COLUMN ops.findings.detail IS 'The same in words. Holds no personal data.';
COMMENT ON COLUMN ops.findings.found_at IS 'When it was first found.';

COMMENT ON TABLE ops.payload_fields IS 'Names of the fields that the shop''s records had so far, so that an alert tells of new ones, and reports of those that bi hides.';
COMMENT ON COLUMN ops.payload_fields.shop_id IS 'Shop of the records.';
COMMENT ON COLUMN ops.payload_fields.resource IS 'Kind of record: order, as listed, line of an order, or form: extra fields of the order form.';
COMMENT ON COLUMN ops.payload_fields.field IS 'Name of the field in the shop''s responses.';
COMMENT ON COLUMN ops.payload_fields.is_new IS 'True if the field is not documented and first came after the shop was loaded.';
COMMENT ON COLUMN ops.payload_fields.first_seen_at IS 'When it was first seen.';

COMMENT ON TABLE ops.days IS 'The ledger: one row per shop and day, with when the day was last proven equal to the shop. A day without a row was empty when the next day with a row was verified. See bi.completeness.';
COMMENT ON COLUMN ops.days.shop_id IS 'Shop of the day.';
COMMENT ON COLUMN ops.days.day IS 'Calendar day in the shop''s time zone.';
COMMENT ON COLUMN ops.days.verified_at IS 'When the day was last read whole. NULL: never.';
COMMENT ON COLUMN ops.days.last_verified_at IS 'When the day was last verified, whatever failed or came since. NULL: never.';
COMMENT ON COLUMN ops.days.orders_seen IS 'Orders that the shop had on the day at that time. NULL: never read whole.';
COMMENT ON COLUMN ops.days.changed_at IS 'When a reading last found a new, changed or missing order on the day. NULL: never.';
COMMENT ON COLUMN ops.days.moves IS 'How often orders were seen to come to the day, to leave it, or to move within it, since it has this row.';
COMMENT ON COLUMN ops.days.attempts IS 'Failed attempts since the last success.';
COMMENT ON COLUMN ops.days.last_error IS 'Why the latest attempt failed. NULL: it did not fail.';
COMMENT ON COLUMN ops.days.retry_at IS 'When the day is tried again by itself, after an attempt that failed. NULL: the latest attempt did not fail.';
COMMENT ON COLUMN ops.days.read_from IS 'For a day that takes several windows: it has been read from this minute, in the shop''s zone, to midnight, and the next sweep continues below. NULL: no reading is in progress.';
COMMENT ON COLUMN ops.days.read_since IS 'When the reading in progress began: once the rest is read, the day is verified as of then. NULL: none is in progress.';
COMMENT ON COLUMN ops.days.read_orders IS 'Orders found on the day so far by the reading in progress. NULL: none is in progress.';
COMMENT ON COLUMN ops.days.read_moves IS 'Count of moves when the reading in progress began. If it has changed by the end, the day is read once more before it counts as verified. NULL: none is in progress, or the day had no row then.';

COMMENT ON TABLE ops.erasures IS 'Persons that the command forget erased. They are remembered by keyed hashes alone, so that later runs erase what the shop still sends.';
COMMENT ON COLUMN ops.erasures.shop_id IS 'Shop that knows the person.';
COMMENT ON COLUMN ops.erasures.identifier_hash IS 'Keyed hash of an e-mail address, a phone number or the number of an account.';
COMMENT ON COLUMN ops.erasures.erased_at IS 'When the command was given.';

COMMENT ON TABLE ops.guest_secrets IS 'Secret of the hashes that identify guests in customer keys. Only the owner of the warehouse and its workers may read it.';
COMMENT ON COLUMN ops.guest_secrets.shop_id IS 'Shop whose guests are hashed with it.';
COMMENT ON COLUMN ops.guest_secrets.secret IS 'The secret, if it was generated here. NULL: it is in the settings, and only its digest is stored.';
COMMENT ON COLUMN ops.guest_secrets.digest IS 'Digest of the secret, to detect a different one.';

COMMENT ON TABLE ops.leases IS 'Which process may write a shop''s data now: one at a time.';
COMMENT ON COLUMN ops.leases.shop_id IS 'Shop the lease is for.';
COMMENT ON COLUMN ops.leases.epoch IS 'Increases with every change of owner; writes with an older epoch are refused.';
COMMENT ON COLUMN ops.leases.holder IS 'Process that owns the lease, or owned it last.';
COMMENT ON COLUMN ops.leases.expires_at IS 'When it expires unless renewed.';

COMMENT ON TABLE ops.migrations IS 'The files of drizzle/ that were applied to this database, one row each.';
COMMENT ON COLUMN ops.migrations.name IS 'Name of the file: a migration, functions/ and a function, or views/ and a view.';
COMMENT ON COLUMN ops.migrations.hash IS 'Hash of the file as it was applied. A function or view is applied again if it differs; a migration must never change.';
COMMENT ON COLUMN ops.migrations.version IS 'Version of the program that applied it.';
COMMENT ON COLUMN ops.migrations.applied_at IS 'When it was last applied.';

COMMENT ON TABLE ops.rejections IS 'Records and fields that could not be interpreted, with the reason; the original is in raw.';
COMMENT ON COLUMN ops.rejections.rejection_id IS 'Number of the rejection.';
COMMENT ON COLUMN ops.rejections.shop_id IS 'Shop that sent the record.';
COMMENT ON COLUMN ops.rejections.resource IS 'Kind of record: order, content (an order''s lines), user or group.';
COMMENT ON COLUMN ops.rejections.source_key IS 'The shop''s number or key of the record. NULL: it has none.';
COMMENT ON COLUMN ops.rejections.field IS 'Field that was not understood. NULL: the whole record.';
COMMENT ON COLUMN ops.rejections.reason IS 'Why it was not understood.';
COMMENT ON COLUMN ops.rejections.value IS 'The value if it is a code, number or date, otherwise its shape, such as "text of 17 characters, Cyrillic, one space". NULL: none was sent.';
COMMENT ON COLUMN ops.rejections.digest IS 'Hash by which a repeated rejection is recognized.';
COMMENT ON COLUMN ops.rejections.first_seen_at IS 'When it first occurred.';
COMMENT ON COLUMN ops.rejections.last_seen_at IS 'When it last occurred.';
COMMENT ON COLUMN ops.rejections.seen_count IS 'How often it occurred.';
COMMENT ON COLUMN ops.rejections.resolved_at IS 'When the record was understood after all. NULL: still open.';

COMMENT ON TABLE ops.runs IS 'What runs of commands on a shop did or failed at, one row each. A sync that finds nothing has no row: see looked_at in ops.shop_state.';
COMMENT ON COLUMN ops.runs.run_id IS 'Number of the run.';
COMMENT ON COLUMN ops.runs.shop_id IS 'Shop it worked on.';
COMMENT ON COLUMN ops.runs.kind IS 'Command: sync, backfill, verify, replay or forget.';
COMMENT ON COLUMN ops.runs.status IS 'How it ended: ok; partial: something is left to do or was rejected; failed; interrupted: stopped on request; abandoned: its process died; or running.';
COMMENT ON COLUMN ops.runs.started_at IS 'When it began.';
COMMENT ON COLUMN ops.runs.finished_at IS 'When it ended. NULL: it is running, or its process died.';
COMMENT ON COLUMN ops.runs.requests IS 'HTTP requests sent, including retries.';
COMMENT ON COLUMN ops.runs.list_requests IS 'Of these, for lists of orders.';
COMMENT ON COLUMN ops.runs.content_requests IS 'Of these, for the lines of single orders.';
COMMENT ON COLUMN ops.runs.user_requests IS 'Of these, for users.';
COMMENT ON COLUMN ops.runs.retries IS 'Of these, retries.';
COMMENT ON COLUMN ops.runs.days_verified IS 'Days verified.';
COMMENT ON COLUMN ops.runs.orders_seen IS 'Orders that the shop listed.';
COMMENT ON COLUMN ops.runs.orders_new IS 'Of these, new to the warehouse.';
COMMENT ON COLUMN ops.runs.orders_changed IS 'Of these, changed since they were last seen.';
COMMENT ON COLUMN ops.runs.orders_missing IS 'Orders in the warehouse that the shop did not list.';
COMMENT ON COLUMN ops.runs.rejections IS 'Records or fields that could not be interpreted.';
COMMENT ON COLUMN ops.runs.error IS 'What went wrong. NULL: nothing.';
COMMENT ON COLUMN ops.runs.version IS 'Version of the program.';

COMMENT ON TABLE ops.shop_figures IS 'What the last run that did something counted of each shop, for the status page and the metrics.';
COMMENT ON COLUMN ops.shop_figures.shop_id IS 'Shop that the row is about.';
COMMENT ON COLUMN ops.shop_figures.orders IS 'Orders in the warehouse, without deleted ones.';
COMMENT ON COLUMN ops.shop_figures.orders_missing IS 'Of these, orders that the shop no longer lists and whose deletion is not confirmed yet.';
COMMENT ON COLUMN ops.shop_figures.orders_deleted IS 'Deleted orders.';
COMMENT ON COLUMN ops.shop_figures.orders_without_lines IS 'Orders whose lines are not loaded or not up to date.';
COMMENT ON COLUMN ops.shop_figures.orders_with_doubtful_lines IS 'Of these, orders whose lines contradict their count or sum.';
COMMENT ON COLUMN ops.shop_figures.open_rejections IS 'Records and fields that could not be understood and need attention.';
COMMENT ON COLUMN ops.shop_figures.counted_at IS 'When the figures above were counted.';
COMMENT ON COLUMN ops.shop_figures.change_ages IS 'At which age of an order, in days, its changes were first seen: changes, p50, p99 and max. NULL: not surveyed yet.';
COMMENT ON COLUMN ops.shop_figures.unclassified IS 'Status codes that were not classified, with the number of current orders that have them: an array of {kind, code, orders}; the code (hidden) stands for all that are not shown. NULL: not yet.';
COMMENT ON COLUMN ops.shop_figures.rhythm IS 'How many orders the shop takes at each weekday and hour of its own time, and its longest usual silence, measured in orders. NULL: too few orders to tell.';
COMMENT ON COLUMN ops.shop_figures.surveyed_at IS 'When change_ages and unclassified were computed, at most once a day. NULL: not yet.';

COMMENT ON TABLE ops.shop_state IS 'What is remembered about each shop between runs: how its order list is paged, the throttle state, and the progress of audits and replays.';
COMMENT ON COLUMN ops.shop_state.shop_id IS 'Shop that the row is about.';
COMMENT ON COLUMN ops.shop_state.page_limit IS 'Limit in the latest list requests.';
COMMENT ON COLUMN ops.shop_state.page_rows IS 'Rows in a full page of the order list. 0: none seen yet.';
COMMENT ON COLUMN ops.shop_state.is_uneven IS 'True if pages came short that were not the last one.';
COMMENT ON COLUMN ops.shop_state.total_meaning IS 'Whether the list''s total is the number of matching orders: matches, other or unknown.';
COMMENT ON COLUMN ops.shop_state.wants_both_dates IS 'True if the shop ignores a single date, so that both are sent.';
COMMENT ON COLUMN ops.shop_state.is_undated_partial IS 'True if the shop lists a part of the orders where a date is left out, so that both are always sent.';
COMMENT ON COLUMN ops.shop_state.list_ends_at IS 'Rows of a list that hid others, whatever its total said: lists of as many are read in parts. NULL: none seen.';
COMMENT ON COLUMN ops.shop_state.freshness IS 'Freshness policy of the last sweep: an array of {younger_than_days, target_seconds}, ages ascending, the last age null for all older days.';
COMMENT ON COLUMN ops.shop_state.concurrency IS 'How many requests were allowed in flight when this was last saved. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.lowest_concurrency IS 'Lowest value to which the client reduced concurrency. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.max_concurrency IS 'Maximum of requests in flight, from the settings. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.max_rps IS 'Maximum of requests per second, from the settings. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.found_rps IS 'Requests per second that the shop was found to take; it refuses more. NULL: it was not seen to refuse any for their number.';
COMMENT ON COLUMN ops.shop_state.limited_by IS 'Why the shop is asked more slowly than the settings allow: rate, it refuses more; slowness, its answers take longer with more at once; failures, requests failed. NULL: nothing was found.';
COMMENT ON COLUMN ops.shop_state.circuit IS 'State of the circuit breaker: closed while the shop responds, open while it is down, half-open while it is probed. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.load_rps IS 'Requests per second of the last run that made enough to tell: what a load takes is estimated by it. NULL: none did.';
COMMENT ON COLUMN ops.shop_state.listed_orders IS 'Orders that the shop said it has, when all of them were last asked for. NULL: it does not say.';
COMMENT ON COLUMN ops.shop_state.paused_until IS 'End of the pause that the shop requested. NULL: none.';
COMMENT ON COLUMN ops.shop_state.audited_at IS 'When the list was last read without dates. NULL: never.';
COMMENT ON COLUMN ops.shop_state.audit_orders IS 'Number of orders in that list. NULL: it was never read.';
COMMENT ON COLUMN ops.shop_state.audit_total IS 'Total that the shop reported then. NULL: none.';
COMMENT ON COLUMN ops.shop_state.audit_live IS 'Orders in the warehouse then, without missing and deleted ones. NULL: as many as in the list.';
COMMENT ON COLUMN ops.shop_state.counted_at IS 'When the shop was last asked to count its orders. NULL: never.';
COMMENT ON COLUMN ops.shop_state.counted_through IS 'Last of the days that it counted. NULL: none.';
COMMENT ON COLUMN ops.shop_state.counted_orders IS 'Live orders that the warehouse held of these days. NULL: none was counted.';
COMMENT ON COLUMN ops.shop_state.counted_facets IS 'How many ways the shop counted them by: all of them, by status, by payment status, by sum. NULL: none was counted.';
COMMENT ON COLUMN ops.shop_state.count_requests_left IS 'Requests for counts that were left over then, and may be sent later. NULL: none was counted.';
COMMENT ON COLUMN ops.shop_state.count_every_seconds IS 'How often the shop is asked to count its orders: as COUNT_EVERY says for a worker, else as often as sweeps come. NULL or 0: never.';
COMMENT ON COLUMN ops.shop_state.facet_doubts IS 'What the shop counted otherwise than a day was proven to hold: facet, how often in a row, the reason, and until when it is not asked for.';
COMMENT ON COLUMN ops.shop_state.completed_at IS 'When a sweep last finished all due days. NULL: never.';
COMMENT ON COLUMN ops.shop_state.looked_at IS 'When the latest sweep began. NULL: none yet.';
COMMENT ON COLUMN ops.shop_state.ok_at IS 'When a sweep last completed everything. NULL: never.';
COMMENT ON COLUMN ops.shop_state.pruned_at IS 'When old runs, settled rejections and payloads past RAW_KEPT were last removed. NULL: never.';
COMMENT ON COLUMN ops.shop_state.clock_warning IS 'Why the time zone or a clock may be wrong, as of the last sweep. NULL: nothing seems wrong.';
COMMENT ON COLUMN ops.shop_state.silence_factor IS 'How many times its longest usual silence a shop may take no order before an alert is raised. NULL: 5. 0: none is.';
COMMENT ON COLUMN ops.shop_state.line_relations IS 'What the shop''s count (lines, units) and sum (the others) are of an order''s lines, as most of its orders show; empty: not known.';
COMMENT ON COLUMN ops.shop_state.line_relations_at IS 'When that was learned last. NULL: never.';
COMMENT ON COLUMN ops.shop_state.requests_hour IS 'Beginning of the hour that the first number of requests_by_hour is about. NULL: no requests yet.';
COMMENT ON COLUMN ops.shop_state.requests_by_hour IS 'HTTP requests sent to the shop in that hour and those before it, for up to 24 hours.';
COMMENT ON COLUMN ops.shop_state.normalizer_version IS 'Earliest version of the normalizers that may have produced any row of the shop.';
COMMENT ON COLUMN ops.shop_state.replay_version IS 'Version of the normalizers in an unfinished replay. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.replay_rekey IS 'True if that replay recomputes the guests'' customer keys. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.replay_stage IS 'Kind of record that it is processing: orders, users or groups. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.replay_after IS 'Key of the last record of that kind that it processed. NULL: none yet.';
COMMENT ON COLUMN ops.shop_state.replay_done IS 'Records of all kinds processed so far. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.privacy_policy IS 'PII_MODE and PII_KEPT_FIELDS that all stored rows comply with. NULL: persons are stored.';
COMMENT ON COLUMN ops.shop_state.saved_at IS 'When the row was last changed.';

COMMENT ON TABLE ops.suspects IS 'Orders that the shop''s list left out, although the shop does not report them as gone. They are checked again until this is resolved.';
COMMENT ON COLUMN ops.suspects.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN ops.suspects.order_id IS 'Order that was left out.';
COMMENT ON COLUMN ops.suspects.since IS 'Since when, by the database''s clock.';

COMMENT ON TABLE ops.stale_customers IS 'Customers whose stored sums are out of date, one row per mark. Triggers only add rows; ops.refresh_summaries() recomputes the sums and removes them.';
COMMENT ON COLUMN ops.stale_customers.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.stale_customers.customer_key IS 'Customer, as in core.orders.';

COMMENT ON TABLE ops.stale_days IS 'Days whose stored sums are out of date, one row per mark. Triggers only add rows; ops.refresh_summaries() recomputes the sums and removes them.';
COMMENT ON COLUMN ops.stale_days.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.stale_days.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN ops.stale_days.with_products IS 'Whether the sums of products may be out of date too.';

COMMENT ON TABLE ops.view_changes IS 'What changed that orders refer to, one row per change, until changed_at of the orders that show it was moved. Triggers only add rows.';
COMMENT ON COLUMN ops.view_changes.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.view_changes.kind IS 'What changed: a status, whether it is a sale, a payment status, whether a field is shown, the group of a buyer, the name of a group, the key of the shop, or a sale of a customer; or order, for an order whose changed_at is still to be moved.';
COMMENT ON COLUMN ops.view_changes.key IS 'Code, key or number of what changed.';
COMMENT ON COLUMN ops.view_changes.since IS 'When the sale that changed was placed: later sales of the customer have another place. NULL: it is no sale.';

COMMENT ON TABLE core.order_versions IS 'What daily reports showed of an order before it changed, one row per change. What they show now is in core.orders.';
COMMENT ON COLUMN core.order_versions.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.order_versions.order_id IS 'The shop''s order number.';
COMMENT ON COLUMN core.order_versions.valid_until IS 'When it was written otherwise.';
COMMENT ON COLUMN core.order_versions.valid_from IS 'When it was written so.';
COMMENT ON COLUMN core.order_versions.created_on IS 'Day the order was placed. NULL: no readable date.';
COMMENT ON COLUMN core.order_versions.created_at IS 'When it was placed. NULL: no readable date.';
COMMENT ON COLUMN core.order_versions.currency IS 'Currency of its amounts. NULL: not sent, or removed with a person.';
COMMENT ON COLUMN core.order_versions.status_code IS 'Status code of the order.';
COMMENT ON COLUMN core.order_versions.customer_key IS 'Customer, as in core.orders; one that was replaced though the shop changed nothing is replaced here too.';
COMMENT ON COLUMN core.order_versions.order_sum IS 'Total in its currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_versions.paid_amount IS 'Amount paid in its currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_versions.item_count IS 'Number of items. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_versions.is_deleted IS 'Whether it was deleted in the shop.';
COMMENT ON COLUMN core.order_versions.is_reread IS 'Whether it was written otherwise because what is stored was read in another way, and not because the shop changed it.';

COMMENT ON TABLE core.status_versions IS 'What a status meant before it was classified otherwise, one row per change.';
COMMENT ON COLUMN core.status_versions.shop_id IS 'Shop of the status.';
COMMENT ON COLUMN core.status_versions.status_code IS 'Code of the status.';
COMMENT ON COLUMN core.status_versions.valid_until IS 'When it was classified otherwise.';
COMMENT ON COLUMN core.status_versions.valid_from IS 'When it was classified so; -infinity for the first time.';
COMMENT ON COLUMN core.status_versions.stage IS 'Stage of orders with the status.';
COMMENT ON COLUMN core.status_versions.is_sale IS 'Whether its orders counted as revenue.';

COMMENT ON TABLE ops.audit_parts IS 'What an audit that did not end has read of the shop''s list, a stretch of it each; the next one goes on there. Empty once it has ended.';
COMMENT ON COLUMN ops.audit_parts.shop_id IS 'Shop that the list is of.';
COMMENT ON COLUMN ops.audit_parts.orders_read IS 'How many entries of the list were read by then.';
COMMENT ON COLUMN ops.audit_parts.began_at IS 'When the audit began, by the worker''s clock.';
COMMENT ON COLUMN ops.audit_parts.list_start IS 'Position in the list at which to go on.';
COMMENT ON COLUMN ops.audit_parts.list_total IS 'How many orders the shop said it has, when the audit began. NULL: it did not say.';
COMMENT ON COLUMN ops.audit_parts.list_ends IS 'Oldest and newest orders of the list by then, with their local times, and whether it is in order of time.';
COMMENT ON COLUMN ops.audit_parts.order_ids IS 'Orders that were listed since the stretch before.';
