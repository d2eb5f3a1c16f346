-- ======================================================================================================================
-- Tables, as `drizzle-kit generate` writes them from src/warehouse/schema
-- ======================================================================================================================
CREATE SCHEMA "ops";
--> statement-breakpoint
CREATE SCHEMA "raw";
--> statement-breakpoint
CREATE SCHEMA "core";
--> statement-breakpoint
CREATE TABLE "ops"."days" (
	"shop_id" integer NOT NULL,
	"day" date NOT NULL,
	"verified_at" timestamp with time zone,
	"orders_seen" integer,
	"changed_at" timestamp with time zone,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"last_error" text,
	"read_from" timestamp,
	"read_since" timestamp with time zone,
	"read_orders" integer,
	"read_restless" boolean,
	"read_held" text,
	CONSTRAINT "days_shop_id_day_pk" PRIMARY KEY("shop_id","day")
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
	CONSTRAINT "runs_kind_check" CHECK ("ops"."runs"."kind" IN ('sync','backfill','verify','replay')),
	CONSTRAINT "runs_status_check" CHECK ("ops"."runs"."status" IN ('running','ok','partial','failed','interrupted','abandoned'))
);
--> statement-breakpoint
CREATE TABLE "ops"."shop_state" (
	"shop_id" integer PRIMARY KEY NOT NULL,
	"page_limit" integer NOT NULL,
	"page_rows" integer DEFAULT 0 NOT NULL,
	"is_uneven" boolean DEFAULT false NOT NULL,
	"total_meaning" text DEFAULT 'unknown' NOT NULL,
	"wants_both_dates" boolean DEFAULT false NOT NULL,
	"freshness" jsonb NOT NULL,
	"concurrency" integer,
	"lowest_concurrency" integer,
	"max_concurrency" integer,
	"max_rps" double precision,
	"circuit" text,
	"paused_until" timestamp with time zone,
	"audited_at" timestamp with time zone,
	"audit_orders" bigint,
	"audit_total" bigint,
	"audit_live" bigint,
	"completed_at" timestamp with time zone,
	"normalizer_version" integer NOT NULL,
	"replay_version" integer,
	"replay_rekey" boolean,
	"replay_stage" text,
	"replay_after" text,
	"replay_done" integer,
	"saved_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shop_state_total_meaning_check" CHECK ("ops"."shop_state"."total_meaning" IN ('unknown','matches','other')),
	CONSTRAINT "shop_state_circuit_check" CHECK ("ops"."shop_state"."circuit" IN ('closed','open','half-open')),
	CONSTRAINT "shop_state_freshness_check" CHECK (jsonb_typeof("ops"."shop_state"."freshness") = 'array'),
	CONSTRAINT "shop_state_replay_stage_check" CHECK ("ops"."shop_state"."replay_stage" IN ('orders','users','groups'))
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
ALTER TABLE "ops"."days" ADD CONSTRAINT "days_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."guest_secrets" ADD CONSTRAINT "guest_secrets_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."leases" ADD CONSTRAINT "leases_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."rejections" ADD CONSTRAINT "rejections_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."runs" ADD CONSTRAINT "runs_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD CONSTRAINT "shop_state_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."suspects" ADD CONSTRAINT "suspects_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_history" ADD CONSTRAINT "order_history_shop_id_order_id_orders_shop_id_order_id_fk" FOREIGN KEY ("shop_id","order_id") REFERENCES "core"."orders"("shop_id","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_lines" ADD CONSTRAINT "order_lines_shop_id_order_id_orders_shop_id_order_id_fk" FOREIGN KEY ("shop_id","order_id") REFERENCES "core"."orders"("shop_id","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_status_code_order_statuses_shop_id_status_code_fk" FOREIGN KEY ("shop_id","status_code") REFERENCES "core"."order_statuses"("shop_id","status_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_pay_status_code_payment_statuses_shop_id_pay_status_code_fk" FOREIGN KEY ("shop_id","pay_status_code") REFERENCES "core"."payment_statuses"("shop_id","pay_status_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD CONSTRAINT "orders_shop_id_buyer_oid_users_shop_id_user_oid_fk" FOREIGN KEY ("shop_id","buyer_oid") REFERENCES "core"."users"("shop_id","user_oid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_form_fields" ADD CONSTRAINT "order_form_fields_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."order_statuses" ADD CONSTRAINT "order_statuses_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."payment_statuses" ADD CONSTRAINT "payment_statuses_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."user_groups" ADD CONSTRAINT "user_groups_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."users" ADD CONSTRAINT "users_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "runs_shop_started_idx" ON "ops"."runs" USING btree ("shop_id","started_at" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "order_history_current_idx" ON "core"."order_history" USING btree ("shop_id","order_id") WHERE "core"."order_history"."observed_until" IS NULL;--> statement-breakpoint
CREATE INDEX "order_lines_product_idx" ON "core"."order_lines" USING btree ("shop_id","product_oid","order_id");--> statement-breakpoint
CREATE INDEX "orders_shop_created_local_idx" ON "core"."orders" USING btree ("shop_id","created_local");--> statement-breakpoint
CREATE INDEX "orders_created_on_idx" ON "core"."orders" USING btree ("created_on");--> statement-breakpoint
CREATE INDEX "orders_shop_customer_created_idx" ON "core"."orders" USING btree ("shop_id","customer_key","created_at");--> statement-breakpoint
CREATE INDEX "orders_buyer_idx" ON "core"."orders" USING btree ("buyer_oid","shop_id");--> statement-breakpoint
CREATE INDEX "orders_lines_due_idx" ON "core"."orders" USING btree ("shop_id","lines_fetched_at") WHERE "core"."orders"."lines_state" <> 'ok';--> statement-breakpoint
CREATE INDEX "orders_missing_idx" ON "core"."orders" USING btree ("shop_id","created_on") WHERE "core"."orders"."missing_since" IS NOT NULL;

-- ======================================================================================================================
-- Schemas of the views, and who may read them
-- ======================================================================================================================
CREATE SCHEMA bi;
CREATE SCHEMA bi_pii;

-- Roles belong to the whole cluster: they may exist already, be made by another database at this moment, or be out of
-- reach of the migrating user, to whom a managed service may refuse CREATEROLE. None of that stops a migration.
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

-- Default privileges cover a new view where the role was there when they were set, and the same user creates the view. This
-- covers the rest. Each file in drizzle/views calls it.
CREATE FUNCTION ops.grant_to_reader(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  reader text := (SELECT relnamespace::regnamespace || '_reader' FROM pg_class WHERE oid = relation);
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = reader) THEN
    EXECUTE format('GRANT SELECT ON %s TO %I', relation, reader);
  END IF;
END $$;

-- Whoever knows the secret can tell guests by their e-mail addresses. Default privileges may have let others read every new
-- table.
DO $$
DECLARE
  granted regrole;
BEGIN
  REVOKE ALL ON ops.guest_secrets FROM PUBLIC;
  FOR granted IN
    SELECT a.grantee FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
    WHERE c.oid = 'ops.guest_secrets'::regclass AND a.grantee NOT IN (0, c.relowner)
  LOOP
    EXECUTE format('REVOKE ALL ON ops.guest_secrets FROM %s', granted);
  END LOOP;
END $$;

-- ======================================================================================================================
-- Summaries: marking and refreshing
-- ======================================================================================================================
-- A write marks the days and customers whose sums it makes stale, in its own transaction, whoever the writer is. The views
-- read the sums of what is not marked and recompute what is, so they are exact at any moment. ops.refresh_summaries() stores
-- the recomputed sums and removes the marks; only speed depends on it. Marks are only ever added, never updated: concurrent
-- writers neither wait for each other nor lose a mark.
CREATE FUNCTION ops.mark_orders() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (
      SELECT shop_id, order_id, created_on, customer_key, created_at, status_code, currency, order_sum, paid_amount,
        item_count, is_guest, buyer_oid, deleted_at IS NULL FROM old_rows
    ), becomes AS (
      SELECT shop_id, order_id, created_on, customer_key, created_at, status_code, currency, order_sum, paid_amount,
        item_count, is_guest, buyer_oid, deleted_at IS NULL FROM new_rows
    ), changed AS MATERIALIZED (
      (TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)
    ), days AS (
      INSERT INTO ops.stale_days (shop_id, day)
      SELECT DISTINCT shop_id, created_on FROM changed WHERE created_on IS NOT NULL
    )
    INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM changed;
  ELSE
    WITH days AS (
      INSERT INTO ops.stale_days (shop_id, day)
      SELECT DISTINCT shop_id, created_on FROM written WHERE created_on IS NOT NULL
    )
    INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM written;
  END IF;
  RETURN NULL;
END $$;

-- Lines count towards the day of their order, by their product alone. A line or a state may be written by one transaction
-- while another moves its order to another day: the order is locked until the end, so that the day that is marked is the one
-- that the order then has.
CREATE FUNCTION ops.mark_lines() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (SELECT shop_id, order_id, product_oid FROM old_rows),
    becomes AS (SELECT shop_id, order_id, product_oid FROM new_rows),
    changed AS ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)),
    held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM changed) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  ELSE
    WITH held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM written) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

-- Of the history only past states count: the present one is the order's own.
CREATE FUNCTION ops.mark_history() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    WITH was AS (SELECT shop_id, order_id, status_code FROM old_rows WHERE observed_until IS NOT NULL),
    becomes AS (SELECT shop_id, order_id, status_code FROM new_rows WHERE observed_until IS NOT NULL),
    changed AS ((TABLE was EXCEPT TABLE becomes) UNION ALL (TABLE becomes EXCEPT TABLE was)),
    held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM changed) c JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  ELSE
    WITH held AS MATERIALIZED (
      SELECT o.shop_id, o.created_on
      FROM (SELECT DISTINCT shop_id, order_id FROM written WHERE observed_until IS NOT NULL) c
      JOIN core.orders o USING (shop_id, order_id)
      FOR SHARE OF o
    )
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM held WHERE created_on IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

-- What a sale is, is the analyst's decision. The lock keeps a refresh from storing sums by the former rule between here and
-- the commit; orders that are loaded meanwhile bring their own marks. An older snapshot would leave orders unmarked that came
-- meanwhile.
CREATE FUNCTION ops.mark_statuses() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM old_rows o JOIN new_rows n USING (shop_id, status_code)
    WHERE (o.is_sale, o.stage) IS DISTINCT FROM (n.is_sale, n.stage)
  ) THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'what a sale is cannot be changed in a % transaction', current_setting('transaction_isolation')
      USING HINT = 'Use READ COMMITTED: an older snapshot does not show every order that this concerns.',
        ERRCODE = 'feature_not_supported';
  END IF;
  LOCK TABLE ops.stale_days IN SHARE UPDATE EXCLUSIVE MODE;
  WITH changed AS MATERIALIZED (
    SELECT DISTINCT s.shop_id, s.created_on, s.customer_key
    FROM old_rows o
    JOIN new_rows n USING (shop_id, status_code)
    JOIN core.orders s USING (shop_id, status_code)
    WHERE (o.is_sale, o.stage) IS DISTINCT FROM (n.is_sale, n.stage)
  ), days AS (
    INSERT INTO ops.stale_days (shop_id, day)
    SELECT DISTINCT shop_id, created_on FROM changed WHERE created_on IS NOT NULL
  )
  INSERT INTO ops.stale_customers (shop_id, customer_key) SELECT DISTINCT shop_id, customer_key FROM changed;
  RETURN NULL;
END $$;

-- Also for whoever loaded rows with triggers switched off.
CREATE FUNCTION ops.mark_everything() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO ops.stale_days (shop_id, day)
  SELECT shop_id, day FROM core.daily_sums
  UNION SELECT shop_id, day FROM core.status_paths
  UNION SELECT shop_id, month FROM core.product_months
  UNION SELECT shop_id, created_on FROM core.orders WHERE created_on IS NOT NULL;
  INSERT INTO ops.stale_customers (shop_id, customer_key)
  SELECT shop_id, customer_key FROM core.customer_sums
  UNION SELECT shop_id, customer_key FROM core.orders;
$$;

CREATE FUNCTION ops.mark_after_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM ops.mark_everything();
  RETURN NULL;
END $$;

-- A load of new orders marks their days and customers in one statement, and says so for the rest of its transaction: there
-- the triggers have nothing to add.
CREATE TRIGGER marks_added AFTER INSERT ON core.orders
REFERENCING NEW TABLE AS written FOR EACH STATEMENT
WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.mark_orders();
CREATE TRIGGER marks_changed AFTER UPDATE ON core.orders
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.mark_orders();
CREATE TRIGGER marks_removed AFTER DELETE ON core.orders
REFERENCING OLD TABLE AS written FOR EACH STATEMENT
WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.mark_orders();
CREATE TRIGGER marks_truncated AFTER TRUNCATE ON core.orders
FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_after_truncate();
CREATE TRIGGER marks_added AFTER INSERT ON core.order_lines
REFERENCING NEW TABLE AS written FOR EACH STATEMENT
WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.mark_lines();
CREATE TRIGGER marks_changed AFTER UPDATE ON core.order_lines
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.mark_lines();
CREATE TRIGGER marks_removed AFTER DELETE ON core.order_lines
REFERENCING OLD TABLE AS written FOR EACH STATEMENT
WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.mark_lines();
CREATE TRIGGER marks_truncated AFTER TRUNCATE ON core.order_lines
FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_after_truncate();
CREATE TRIGGER marks_added AFTER INSERT ON core.order_history
REFERENCING NEW TABLE AS written FOR EACH STATEMENT
WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.mark_history();
CREATE TRIGGER marks_changed AFTER UPDATE ON core.order_history
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.mark_history();
CREATE TRIGGER marks_removed AFTER DELETE ON core.order_history
REFERENCING OLD TABLE AS written FOR EACH STATEMENT
WHEN (current_setting('order_sync.marks', true) IS DISTINCT FROM 'made') EXECUTE FUNCTION ops.mark_history();
CREATE TRIGGER marks_truncated AFTER TRUNCATE ON core.order_history
FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_after_truncate();
CREATE TRIGGER marks_changed AFTER UPDATE ON core.order_statuses
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.mark_statuses();

-- All in one statement, and so from one snapshot: a mark that another transaction adds meanwhile stays.
CREATE FUNCTION ops.refresh_summaries(OUT days bigint, OUT customers bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  -- One refresh at a time, and none while somebody changes what a sale is. Those who write orders do not wait.
  BEGIN
    LOCK TABLE ops.stale_days IN SHARE UPDATE EXCLUSIVE MODE;
  EXCEPTION WHEN lock_not_available THEN
    RETURN;
  END;
  WITH new_days AS MATERIALIZED (SELECT * FROM core.daily_recount WHERE day IS NOT NULL),
  new_paths AS MATERIALIZED (SELECT * FROM core.status_path_recount WHERE day IS NOT NULL),
  new_products AS MATERIALIZED (SELECT * FROM core.product_month_recount WHERE month IS NOT NULL),
  new_customers AS MATERIALIZED (SELECT * FROM core.customer_recount),
  new_cuts AS MATERIALIZED (SELECT * FROM core.customer_cut_recount),
  old_days AS (
    DELETE FROM core.daily_sums d USING (SELECT DISTINCT shop_id, day FROM ops.stale_days) s
    WHERE s.shop_id = d.shop_id AND s.day = d.day RETURNING 1
  ),
  old_paths AS (
    DELETE FROM core.status_paths p USING (SELECT DISTINCT shop_id, day FROM ops.stale_days) s
    WHERE s.shop_id = p.shop_id AND s.day = p.day RETURNING 1
  ),
  old_products AS (
    DELETE FROM core.product_months p
    USING (SELECT DISTINCT shop_id, date_trunc('month', day::timestamp)::date AS month FROM ops.stale_days) s
    WHERE s.shop_id = p.shop_id AND s.month = p.month RETURNING 1
  ),
  old_customers AS (
    DELETE FROM core.customer_sums c USING (SELECT DISTINCT shop_id, customer_key FROM ops.stale_customers) s
    WHERE s.shop_id = c.shop_id AND s.customer_key = c.customer_key RETURNING 1
  ),
  old_cuts AS (
    DELETE FROM core.customer_cuts c USING (SELECT DISTINCT shop_id FROM ops.stale_customers) s
    WHERE s.shop_id = c.shop_id RETURNING 1
  ),
  -- Counting what was deleted makes the deletion come first.
  put_days AS (INSERT INTO core.daily_sums SELECT n.* FROM (SELECT count(*) FROM old_days) o, new_days n),
  put_paths AS (INSERT INTO core.status_paths SELECT n.* FROM (SELECT count(*) FROM old_paths) o, new_paths n),
  put_products AS (INSERT INTO core.product_months SELECT n.* FROM (SELECT count(*) FROM old_products) o, new_products n),
  put_customers AS (INSERT INTO core.customer_sums SELECT n.* FROM (SELECT count(*) FROM old_customers) o, new_customers n),
  put_cuts AS (INSERT INTO core.customer_cuts SELECT n.* FROM (SELECT count(*) FROM old_cuts) o, new_cuts n),
  marked_days AS (DELETE FROM ops.stale_days RETURNING shop_id, day),
  marked_customers AS (DELETE FROM ops.stale_customers RETURNING shop_id, customer_key)
  SELECT (SELECT count(*) FROM (SELECT DISTINCT shop_id, day FROM marked_days) d),
    (SELECT count(*) FROM (SELECT DISTINCT shop_id, customer_key FROM marked_customers) c)
  INTO days, customers;
END $$;

-- A publication of all tables refuses to delete rows of tables without a key.
ALTER TABLE core.customer_cuts REPLICA IDENTITY FULL;
ALTER TABLE core.customer_sums REPLICA IDENTITY FULL;
ALTER TABLE core.daily_sums REPLICA IDENTITY FULL;
ALTER TABLE core.product_months REPLICA IDENTITY FULL;
ALTER TABLE core.status_paths REPLICA IDENTITY FULL;
ALTER TABLE ops.stale_days REPLICA IDENTITY FULL;
ALTER TABLE ops.stale_customers REPLICA IDENTITY FULL;

-- ======================================================================================================================
-- Comments on schemas, tables and functions
-- ======================================================================================================================
COMMENT ON SCHEMA core IS 'What the shops hold, one table per kind of record, typed and cleaned. Holds personal data; for reports use bi.';
COMMENT ON SCHEMA raw IS 'The last answer of the shop about each record, word for word, so that it can be interpreted again without asking the shop. Holds personal data.';
COMMENT ON SCHEMA ops IS 'Bookkeeping of the synchronization: which days are verified, runs, rejected values, locks.';
COMMENT ON SCHEMA bi IS 'Views for reports and BI tools: joins done, one meaning per column, no names, e-mails, phone numbers or addresses of buyers. Read this schema rather than core.';
COMMENT ON SCHEMA bi_pii IS 'Views with personal data of buyers, for the few who need to contact them. Their keys join with the views of bi.';

COMMENT ON TABLE core.shops IS 'One row per shop that is synchronized into this warehouse.';
COMMENT ON COLUMN core.shops.shop_id IS 'Number of the shop in this warehouse; first part of nearly every key.';
COMMENT ON COLUMN core.shops.shop_key IS 'Short name of the shop, from the configuration.';
COMMENT ON COLUMN core.shops.base_url IS 'Address of the shop''s API.';
COMMENT ON COLUMN core.shops.timezone IS 'IANA time zone of the shop: its API sends times without one.';
COMMENT ON COLUMN core.shops.created_at IS 'When the shop was registered here.';

COMMENT ON TABLE core.order_statuses IS 'One row per shop and order status code. Yours to edit: name your own codes, decide what is a sale; a sync adds unknown codes and overwrites nothing.';
COMMENT ON COLUMN core.order_statuses.shop_id IS 'Shop that uses the code.';
COMMENT ON COLUMN core.order_statuses.status_code IS 'Code as the shop sends it; empty text is "no status".';
COMMENT ON COLUMN core.order_statuses.name IS 'English name; the code itself for one met for the first time.';
COMMENT ON COLUMN core.order_statuses.name_local IS 'Name in the shop''s language, shown instead of the English one. NULL: not entered.';
COMMENT ON COLUMN core.order_statuses.stage IS 'Stage of an order with this status: draft, open, fulfilment, delivered, cancelled, returned, other, or unknown until somebody classifies it.';
COMMENT ON COLUMN core.order_statuses.stage_order IS 'Position of the status in the usual course of an order, for sorting. NULL: outside of it.';
COMMENT ON COLUMN core.order_statuses.is_sale IS 'Whether orders with this status count as revenue. False for a code met for the first time.';
COMMENT ON COLUMN core.order_statuses.is_final IS 'Whether an order normally stays in this status.';
COMMENT ON COLUMN core.order_statuses.is_documented IS 'Whether the code is in the platform''s documentation; false for the shop''s own.';

COMMENT ON TABLE core.payment_statuses IS 'One row per shop and payment status code. Yours to edit; a sync adds unknown codes and overwrites nothing.';
COMMENT ON COLUMN core.payment_statuses.shop_id IS 'Shop that uses the code.';
COMMENT ON COLUMN core.payment_statuses.pay_status_code IS 'Code as the shop sends it; empty text when it sends none.';
COMMENT ON COLUMN core.payment_statuses.name IS 'English name; the code itself for one met for the first time.';
COMMENT ON COLUMN core.payment_statuses.name_local IS 'Name in the shop''s language, shown instead of the English one. NULL: not entered.';
COMMENT ON COLUMN core.payment_statuses.is_documented IS 'Whether the code is in the platform''s documentation; false for the shop''s own.';

COMMENT ON TABLE core.order_form_fields IS 'Which extra fields of orders bi.order_fields and bi.sales_by_field show, and which they hide. Yours to edit, and empty until you do: a sync never writes it. A field without a row is hidden or shown by a rule that is best effort.';
COMMENT ON COLUMN core.order_form_fields.shop_id IS 'Shop whose order form has the field.';
COMMENT ON COLUMN core.order_form_fields.field_key IS 'Key of the field, exactly as in bi.order_fields.';
COMMENT ON COLUMN core.order_form_fields.is_shown IS 'True: every value of the field is shown, whatever it looks like. False: none ever is.';

COMMENT ON TABLE core.user_groups IS 'Groups of registered buyers, a tree.';
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
COMMENT ON COLUMN core.user_groups.access IS 'Access rights as a code of the shop; not documented. NULL: not sent.';
COMMENT ON COLUMN core.user_groups.created_local IS 'When it was created, by the shop''s clock. NULL: not sent or not readable.';
COMMENT ON COLUMN core.user_groups.updated_local IS 'When it was last changed, by the shop''s clock. NULL: not sent or not readable.';
COMMENT ON COLUMN core.user_groups.deleted_at IS 'When the group was found to be gone from the shop. NULL: it exists.';

COMMENT ON TABLE core.users IS 'Buyers that orders refer to, as the shop knows them today. Personal data. The shop''s guest, number 6, is one row for everybody who was not logged in.';
COMMENT ON COLUMN core.users.shop_id IS 'Shop of the user.';
COMMENT ON COLUMN core.users.user_oid IS 'The shop''s number of the user; orders refer to it as buyer_oid.';
COMMENT ON COLUMN core.users.fetch_state IS 'Whether the other columns are filled: ok; pending: not asked yet; not_found: the shop has no such user; failed: to be tried again; guest: never asked.';
COMMENT ON COLUMN core.users.group_oid IS 'Group the user belongs to, see core.user_groups. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.login IS 'Login name. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.email IS 'E-mail address. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.phone IS 'Phone number as entered. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.name IS 'Name of the person. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.org_name IS 'Name of the organization. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.gender IS 'Gender, in the word the shop uses. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.level IS 'Level of the user; its meaning is the shop''s own. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.address IS 'Postal address as entered. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.images IS 'Pictures of the user, a list of paths and sizes. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.content IS 'All data fields of the user, also those without a column here. Personal data. NULL: not fetched.';
COMMENT ON COLUMN core.users.owner_oid IS 'Number of the user who owns the record. NULL: not sent.';
COMMENT ON COLUMN core.users.visible IS 'Visibility as the shop sends it; its values are not documented. NULL: not sent.';
COMMENT ON COLUMN core.users.access IS 'Access rights as a code of the shop; not documented. NULL: not sent.';
COMMENT ON COLUMN core.users.created_local IS 'When the user registered, by the shop''s clock. NULL: not fetched or not readable.';
COMMENT ON COLUMN core.users.updated_local IS 'When the record was last changed, by the shop''s clock. NULL: not fetched or not readable.';
COMMENT ON COLUMN core.users.created_at IS 'When the user registered, as a moment. NULL: not fetched or not readable.';
COMMENT ON COLUMN core.users.fetched_at IS 'When the shop was last asked about the user. NULL: never.';

COMMENT ON TABLE core.orders IS 'One row per order that the shop holds or held; deleted ones are marked, not removed. Personal data. For reports use bi.orders.';
COMMENT ON COLUMN core.orders.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.orders.order_id IS 'The shop''s order number.';
COMMENT ON COLUMN core.orders.status_code IS 'Status code, see core.order_statuses; empty text: the shop''s "no status", or none readable.';
COMMENT ON COLUMN core.orders.pay_status_code IS 'Payment status code, see core.payment_statuses; empty text when none was sent or readable.';
COMMENT ON COLUMN core.orders.color IS 'Colour mark that staff gave the order. NULL: none.';
COMMENT ON COLUMN core.orders.buyer_oid IS 'The shop''s number of the buyer, see core.users; 6 is the guest. NULL: not sent.';
COMMENT ON COLUMN core.orders.is_guest IS 'Whether no registered buyer is on the order.';
COMMENT ON COLUMN core.orders.customer_key IS 'Whom to count as one customer: u: and the number of a registered buyer; g: and a keyed hash of a guest''s e-mail or phone; o: and the order number for a guest who left neither.';
COMMENT ON COLUMN core.orders.created_on IS 'Day the order was placed, in the shop''s time zone. NULL: no readable date.';
COMMENT ON COLUMN core.orders.created_local IS 'When it was placed, by the shop''s clock. NULL: no readable date.';
COMMENT ON COLUMN core.orders.created_at IS 'When it was placed, as a moment. NULL: no readable date.';
COMMENT ON COLUMN core.orders.updated_local IS 'When the shop last changed it, by the shop''s clock. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.updated_at IS 'When the shop last changed it, as a moment. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.currency IS 'Currency of all amounts of the order, as the shop writes it. NULL: not sent.';
COMMENT ON COLUMN core.orders.pay_method IS 'Code of the payment method. NULL: not chosen.';
COMMENT ON COLUMN core.orders.order_sum IS 'Total of the order in its currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.paid_amount IS 'Amount paid so far in its currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.delivery_price IS 'Price of the delivery in its currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.discount_raw IS 'Discount on the order as the shop wrote it. NULL: none.';
COMMENT ON COLUMN core.orders.discount_percent IS 'That discount in per cent (12.5 is 12.5 %). NULL: none, or not a percentage.';
COMMENT ON COLUMN core.orders.item_count IS 'Number of items, as the shop counts them. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.weight IS 'Weight in the shop''s own unit, which it does not name. NULL: not sent or not readable.';
COMMENT ON COLUMN core.orders.delivery_name IS 'Name of the delivery method. NULL: none.';
COMMENT ON COLUMN core.orders.delivery_id IS 'Number of the delivery method. NULL: none.';
COMMENT ON COLUMN core.orders.buyer_name IS 'Name given with the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.orders.buyer_email IS 'E-mail given with the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.orders.buyer_phone IS 'Phone number given with the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.orders.buyer_address IS 'Postal address given with the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.orders.comment IS 'Remark on the order. May hold personal data. NULL: none.';
COMMENT ON COLUMN core.orders.fields IS 'The shop''s own order fields, by key, each with its value, name and label in the shop''s language. May hold personal data. NULL: none, or not decodable (see ops.rejections).';
COMMENT ON COLUMN core.orders.user_unique_key IS 'Key the shop sends with the user; several users can share one, so do not count by it. NULL: not sent.';
COMMENT ON COLUMN core.orders.order_hash IS 'Hash the shop keeps for the order; what it is made of is not documented. NULL: not sent.';
COMMENT ON COLUMN core.orders.views IS 'A view counter of the shop; what it counts is not documented. NULL: not sent. May lag: a change of it alone is not taken over.';
COMMENT ON COLUMN core.orders.users_raw IS 'The field "users" as sent; its meaning is not documented. NULL: empty.';
COMMENT ON COLUMN core.orders.fingerprint IS 'Hash of the order as listed, without the view counter: tells whether the shop changed anything.';
COMMENT ON COLUMN core.orders.lines_state IS 'Whether the lines in core.order_lines are up to date: ok; pending: not fetched yet; failed: the last attempt failed, lines fetched before stay, another attempt follows.';
COMMENT ON COLUMN core.orders.lines_fetched_at IS 'When the lines were last asked for, with or without success. NULL: never.';
COMMENT ON COLUMN core.orders.lines_attempts IS 'Failed attempts at the lines in a row.';
COMMENT ON COLUMN core.orders.first_seen_at IS 'When this warehouse first saw the order.';
COMMENT ON COLUMN core.orders.changed_at IS 'When this warehouse last saw a change of the order.';
COMMENT ON COLUMN core.orders.missing_since IS 'When the shop''s list first did not return the order; taken off when it is seen again. NULL: it is listed.';
COMMENT ON COLUMN core.orders.deleted_at IS 'When the shop was found to have deleted the order; taken off when it is seen again. NULL: it exists.';

COMMENT ON TABLE core.order_lines IS 'One row per line of an order. All lines of an order are replaced together.';
COMMENT ON COLUMN core.order_lines.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.order_lines.order_id IS 'Order the line belongs to.';
COMMENT ON COLUMN core.order_lines.line_no IS 'Position of the line in its order, from 1.';
COMMENT ON COLUMN core.order_lines.line_oid IS 'The shop''s key of the line: product number, underscore, hash of the chosen options. NULL: not sent.';
COMMENT ON COLUMN core.order_lines.product_oid IS 'The shop''s number of the product, from line_oid. NULL: it holds none.';
COMMENT ON COLUMN core.order_lines.spec_hash IS 'Hash of the chosen options, from line_oid: tells variants apart. NULL: it holds none.';
COMMENT ON COLUMN core.order_lines.code IS 'Code of the line in the shop. NULL: not sent.';
COMMENT ON COLUMN core.order_lines.product_name IS 'Name of the product as written in this order. NULL: not sent.';
COMMENT ON COLUMN core.order_lines.sku IS 'Article number. NULL: none.';
COMMENT ON COLUMN core.order_lines.quantity IS 'Quantity ordered. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.unit_price IS 'Price of one unit after discount, in the order''s currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.line_total IS 'Total of the line after discount, in the order''s currency. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.list_price IS 'Price of one unit before discount. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.list_total IS 'Total of the line before discount. NULL: not sent or not readable.';
COMMENT ON COLUMN core.order_lines.discount_raw IS 'Discount on the line as the shop wrote it. NULL: none.';
COMMENT ON COLUMN core.order_lines.discount_percent IS 'That discount in per cent (12.5 is 12.5 %). NULL: none, or not a percentage.';

COMMENT ON TABLE core.order_history IS 'States an order was seen in. The shop keeps no history: a state that came and went between two readings is not here, and the moment of a change is known only as lying between not_before and observed_at.';
COMMENT ON COLUMN core.order_history.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN core.order_history.order_id IS 'Order the state is of.';
COMMENT ON COLUMN core.order_history.seq IS 'Number of the state within the order, in the order they were seen.';
COMMENT ON COLUMN core.order_history.status_code IS 'Status code in this state.';
COMMENT ON COLUMN core.order_history.pay_status_code IS 'Payment status code in this state.';
COMMENT ON COLUMN core.order_history.order_sum IS 'Order total in this state, in the order''s currency. NULL: unknown.';
COMMENT ON COLUMN core.order_history.paid_amount IS 'Amount paid in this state, in the order''s currency. NULL: unknown.';
COMMENT ON COLUMN core.order_history.source_updated_at IS 'The shop''s own time of last change when the state was first seen. NULL: unknown.';
COMMENT ON COLUMN core.order_history.not_before IS 'Last time the order was seen in another state: the change came after it. NULL: never seen in another.';
COMMENT ON COLUMN core.order_history.observed_at IS 'First time the order was seen in this state: the change came before it.';
COMMENT ON COLUMN core.order_history.observed_until IS 'When the order was first seen in the next state. NULL: this is the present one.';
COMMENT ON COLUMN core.order_history.is_initial IS 'Whether this is the state the order was first seen in; it may have had others before.';

COMMENT ON TABLE core.daily_sums IS 'Sums of the orders that are not deleted, by shop, day and currency. Valid only where ops.stale_days has no mark: read core.daily_totals.';
COMMENT ON COLUMN core.daily_sums.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.daily_sums.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.daily_sums.currency IS 'Currency of the orders. NULL: not sent.';
COMMENT ON COLUMN core.daily_sums.orders IS 'Orders that are sales.';
COMMENT ON COLUMN core.daily_sums.revenue IS 'Sum of order_sum of sales. NULL: none has one.';
COMMENT ON COLUMN core.daily_sums.priced_orders IS 'Sales that have an order_sum.';
COMMENT ON COLUMN core.daily_sums.paid IS 'Sum of paid_amount of sales. NULL: none has one.';
COMMENT ON COLUMN core.daily_sums.items IS 'Sum of item_count of sales. NULL: none has one.';
COMMENT ON COLUMN core.daily_sums.customers IS 'Different customers of the sales.';
COMMENT ON COLUMN core.daily_sums.cancelled_orders IS 'Orders whose stage is cancelled.';
COMMENT ON COLUMN core.daily_sums.returned_orders IS 'Orders whose stage is returned.';
COMMENT ON COLUMN core.daily_sums.draft_orders IS 'Orders whose stage is draft.';
COMMENT ON COLUMN core.daily_sums.other_orders IS 'Other orders that are not sales.';

COMMENT ON TABLE core.status_paths IS 'Orders that are not deleted by shop, day, status and earlier statuses. Valid only where ops.stale_days has no mark: read core.status_path_totals.';
COMMENT ON COLUMN core.status_paths.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.status_paths.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.status_paths.status_code IS 'Status of the orders now.';
COMMENT ON COLUMN core.status_paths.earlier IS 'Other statuses in which the orders were observed before, sorted.';
COMMENT ON COLUMN core.status_paths.orders IS 'Number of orders.';

COMMENT ON TABLE core.product_months IS 'Sales with a product by shop and month. Valid only where ops.stale_days has no mark in the month: read core.product_month_totals.';
COMMENT ON COLUMN core.product_months.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.product_months.month IS 'First day of the month in which the orders were placed.';
COMMENT ON COLUMN core.product_months.product_oid IS 'Product. NULL: the row is of all sales with any known product.';
COMMENT ON COLUMN core.product_months.orders IS 'Sales with at least one line of the product.';

COMMENT ON TABLE core.customer_sums IS 'Sums of the sales by shop, customer and currency. Valid only where ops.stale_customers has no mark: read core.customer_totals.';
COMMENT ON COLUMN core.customer_sums.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.customer_sums.customer_key IS 'Customer, as in core.orders.';
COMMENT ON COLUMN core.customer_sums.currency IS 'Currency of the sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_sums.orders IS 'Number of sales.';
COMMENT ON COLUMN core.customer_sums.revenue IS 'Sum of order_sum. NULL: none has one.';
COMMENT ON COLUMN core.customer_sums.priced_orders IS 'Sales that have an order_sum.';
COMMENT ON COLUMN core.customer_sums.first_day IS 'Day of the first sale. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_sums.last_day IS 'Day of the latest sale. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_sums.new_on IS 'Day of the customer''s first sale in any currency, in the row of that currency. NULL: it was in another, or has no readable date.';
COMMENT ON COLUMN core.customer_sums.is_guest IS 'Whether no registered buyer is on any of the sales.';
COMMENT ON COLUMN core.customer_sums.buyer_oid IS 'Registered buyer, see core.users. NULL: a guest.';
COMMENT ON COLUMN core.customer_sums.months IS 'First days of the months with a sale, in order. NULL: no sale has a readable date.';
COMMENT ON COLUMN core.customer_sums.month_orders IS 'Number of sales in each of these months. NULL: no sale has a readable date.';
COMMENT ON COLUMN core.customer_sums.month_revenues IS 'Sum of order_sum in each of these months; NULL where no sale has one.';

COMMENT ON TABLE core.customer_cuts IS 'Values that divide a shop''s customers in a currency into fifths; no row for fewer than five customers. Valid only where ops.stale_customers has no mark of the shop: read core.customer_cut_totals.';
COMMENT ON COLUMN core.customer_cuts.shop_id IS 'Shop of the customers.';
COMMENT ON COLUMN core.customer_cuts.currency IS 'Currency of their sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_cuts.days IS 'Days of the latest sale: the four at which a fifth begins.';
COMMENT ON COLUMN core.customer_cuts.orders IS 'Numbers of sales: the four at which a fifth begins, of customers with more than one sale; NULL where there is none.';
COMMENT ON COLUMN core.customer_cuts.revenues IS 'Sums of the sales: the four at which a fifth begins.';

COMMENT ON TABLE raw.orders IS 'The last list entry of each order, as it came.';
COMMENT ON COLUMN raw.orders.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.orders.order_id IS 'Order it describes.';
COMMENT ON COLUMN raw.orders.payload IS 'The entry as JSON. Personal data.';
COMMENT ON COLUMN raw.orders.fetched_at IS 'When it was received.';

COMMENT ON TABLE raw.order_contents IS 'The last answer about the lines of each order, as it came.';
COMMENT ON COLUMN raw.order_contents.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.order_contents.order_id IS 'Order it describes.';
COMMENT ON COLUMN raw.order_contents.payload IS 'The answer as JSON.';
COMMENT ON COLUMN raw.order_contents.fetched_at IS 'When it was received.';

COMMENT ON TABLE raw.users IS 'The last answer about each user, as it came.';
COMMENT ON COLUMN raw.users.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.users.user_key IS 'Key the user was asked for by.';
COMMENT ON COLUMN raw.users.payload IS 'The answer as JSON. Personal data. NULL: the shop knows no such user.';
COMMENT ON COLUMN raw.users.http_status IS 'HTTP status of the answer. NULL: not recorded.';
COMMENT ON COLUMN raw.users.fetched_at IS 'When it was received.';

COMMENT ON TABLE raw.user_groups IS 'The last list entry of each group of users, as it came.';
COMMENT ON COLUMN raw.user_groups.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.user_groups.group_oid IS 'Group it describes.';
COMMENT ON COLUMN raw.user_groups.payload IS 'The entry as JSON.';
COMMENT ON COLUMN raw.user_groups.fetched_at IS 'When it was received.';

COMMENT ON TABLE ops.days IS 'The ledger: one row per shop and day, with the last proof that the day here equals the day in the shop. A day without a row was empty when the next day that has one was verified. See bi.completeness.';
COMMENT ON COLUMN ops.days.shop_id IS 'Shop of the day.';
COMMENT ON COLUMN ops.days.day IS 'Calendar day in the shop''s time zone.';
COMMENT ON COLUMN ops.days.verified_at IS 'When the day was last read whole. NULL: never yet.';
COMMENT ON COLUMN ops.days.orders_seen IS 'Orders the shop held on the day at that moment. NULL: never read whole.';
COMMENT ON COLUMN ops.days.changed_at IS 'When a reading of the day last found anything new, changed or gone. NULL: never.';
COMMENT ON COLUMN ops.days.attempts IS 'Attempts that failed since the last success.';
COMMENT ON COLUMN ops.days.last_error IS 'Why the latest attempt failed. NULL: it did not fail.';
COMMENT ON COLUMN ops.days.read_from IS 'Of a day that takes several windows: from this minute of the shop''s zone up to midnight it was read, and the next sweep goes on below. NULL: no reading of the day is under way.';
COMMENT ON COLUMN ops.days.read_since IS 'When the reading that is under way began: once the rest of the day is read, it is verified as of then. NULL: none is.';
COMMENT ON COLUMN ops.days.read_orders IS 'Orders that the reading under way has found on the day so far. NULL: none is.';
COMMENT ON COLUMN ops.days.read_restless IS 'True when the reading under way found anything but what was held: the day is then read once more before it counts as verified. NULL: none is.';
COMMENT ON COLUMN ops.days.read_held IS 'Digest of the day''s orders as they were held when read_from was written: where they changed since, a reading that is not restless begins again. NULL: none is under way.';

COMMENT ON TABLE ops.runs IS 'One row per run of a command on a shop, with what it did.';
COMMENT ON COLUMN ops.runs.run_id IS 'Number of the run.';
COMMENT ON COLUMN ops.runs.shop_id IS 'Shop it worked on.';
COMMENT ON COLUMN ops.runs.kind IS 'What it was: sync, backfill, verify or replay.';
COMMENT ON COLUMN ops.runs.status IS 'How it ended: ok; partial: something is left to do or was rejected; failed; interrupted: stopped on request; abandoned: its process vanished; or running.';
COMMENT ON COLUMN ops.runs.started_at IS 'When it began.';
COMMENT ON COLUMN ops.runs.finished_at IS 'When it ended. NULL: it runs, or its process vanished.';
COMMENT ON COLUMN ops.runs.requests IS 'HTTP requests sent, repeats included.';
COMMENT ON COLUMN ops.runs.list_requests IS 'Of these, for lists of orders.';
COMMENT ON COLUMN ops.runs.content_requests IS 'Of these, for the lines of single orders.';
COMMENT ON COLUMN ops.runs.user_requests IS 'Of these, for users.';
COMMENT ON COLUMN ops.runs.retries IS 'Of these, repeats after a failure.';
COMMENT ON COLUMN ops.runs.days_verified IS 'Days verified.';
COMMENT ON COLUMN ops.runs.orders_seen IS 'Orders that the shop listed.';
COMMENT ON COLUMN ops.runs.orders_new IS 'Of these, new to the warehouse.';
COMMENT ON COLUMN ops.runs.orders_changed IS 'Of these, changed since they were last seen.';
COMMENT ON COLUMN ops.runs.orders_missing IS 'Orders of the warehouse that the shop did not list.';
COMMENT ON COLUMN ops.runs.rejections IS 'Records or fields that could not be interpreted.';
COMMENT ON COLUMN ops.runs.error IS 'What went wrong. NULL: nothing.';
COMMENT ON COLUMN ops.runs.version IS 'Version of the program.';

COMMENT ON TABLE ops.leases IS 'Which process may write a shop''s data at the moment: one at a time.';
COMMENT ON COLUMN ops.leases.shop_id IS 'Shop the lease is for.';
COMMENT ON COLUMN ops.leases.epoch IS 'Grows with every change of owner; a writer with an older one is refused.';
COMMENT ON COLUMN ops.leases.holder IS 'Process that holds the lease, or held it last.';
COMMENT ON COLUMN ops.leases.expires_at IS 'Until when it holds unless renewed.';

COMMENT ON TABLE ops.rejections IS 'Records and fields that could not be interpreted, with the reason; the original is in raw.';
COMMENT ON COLUMN ops.rejections.rejection_id IS 'Number of the rejection.';
COMMENT ON COLUMN ops.rejections.shop_id IS 'Shop that sent the record.';
COMMENT ON COLUMN ops.rejections.resource IS 'Kind of record: order, content (an order''s lines), user or group.';
COMMENT ON COLUMN ops.rejections.source_key IS 'The shop''s number or key of the record. NULL: it has none.';
COMMENT ON COLUMN ops.rejections.field IS 'Field that was not understood. NULL: the whole record was not.';
COMMENT ON COLUMN ops.rejections.reason IS 'Why it was not understood.';
COMMENT ON COLUMN ops.rejections.value IS 'The value in question, where it may be kept. NULL: not kept. May hold personal data.';
COMMENT ON COLUMN ops.rejections.digest IS 'Hash that recognizes the same rejection when it comes again.';
COMMENT ON COLUMN ops.rejections.first_seen_at IS 'When it first came.';
COMMENT ON COLUMN ops.rejections.last_seen_at IS 'When it last came.';
COMMENT ON COLUMN ops.rejections.seen_count IS 'How often it came.';
COMMENT ON COLUMN ops.rejections.resolved_at IS 'When the record was understood after all. NULL: still open.';

COMMENT ON TABLE ops.shop_state IS 'What is remembered of each shop between runs: how its order list pages, how it was treated last, and how far audits and replays have come.';
COMMENT ON COLUMN ops.shop_state.shop_id IS 'Shop that it is remembered of.';
COMMENT ON COLUMN ops.shop_state.page_limit IS 'Limit of list requests that the shop was last asked with.';
COMMENT ON COLUMN ops.shop_state.page_rows IS 'Rows of a full page of the order list. 0: none was seen yet.';
COMMENT ON COLUMN ops.shop_state.is_uneven IS 'True when pages came short without being the last one.';
COMMENT ON COLUMN ops.shop_state.total_meaning IS 'Whether the total that the list reports was the number of matching orders: matches, other or unknown.';
COMMENT ON COLUMN ops.shop_state.wants_both_dates IS 'True when the shop ignored a request with one date only, so that both are sent.';
COMMENT ON COLUMN ops.shop_state.freshness IS 'Freshness policy of the last sweep: an array of {younger_than_days, target_seconds}, ages ascending, the last age null for all older days.';
COMMENT ON COLUMN ops.shop_state.concurrency IS 'Requests that might be in flight at once when it was last recorded. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.lowest_concurrency IS 'Fewest requests at once that the client went down to. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.max_concurrency IS 'Most requests at once that the settings allow. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.max_rps IS 'Most requests per second that the settings allow. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.circuit IS 'State of the circuit breaker: closed while the shop answers, open while it is away, half-open while it is probed. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.paused_until IS 'Until when the shop requested a pause. NULL: it did not.';
COMMENT ON COLUMN ops.shop_state.audited_at IS 'When the list was last read without dates. NULL: never.';
COMMENT ON COLUMN ops.shop_state.audit_orders IS 'Orders that this list held. NULL: it was never read.';
COMMENT ON COLUMN ops.shop_state.audit_total IS 'Total that the shop reported then. NULL: it reported none.';
COMMENT ON COLUMN ops.shop_state.audit_live IS 'Orders held here then, without missing and deleted ones. NULL: as many as in the list.';
COMMENT ON COLUMN ops.shop_state.completed_at IS 'When a sweep last had verified every due day. NULL: never.';
COMMENT ON COLUMN ops.shop_state.normalizer_version IS 'Earliest version of the normalizers that any row of the shop may have been made by.';
COMMENT ON COLUMN ops.shop_state.replay_version IS 'Version of the normalizers that an unfinished replay goes on with. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.replay_rekey IS 'True when that replay makes the guests'' customer keys anew. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.replay_stage IS 'Kind of record that it has come to: orders, users or groups. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.replay_after IS 'Key of the last record of that kind that it has done. NULL: none yet.';
COMMENT ON COLUMN ops.shop_state.replay_done IS 'Records of all kinds that it has done. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.saved_at IS 'When any of this last changed.';

COMMENT ON TABLE ops.suspects IS 'Orders that the shop''s list left out though the shop does not say that they are gone. They are looked for again until that is decided.';
COMMENT ON COLUMN ops.suspects.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN ops.suspects.order_id IS 'Order that was left out.';
COMMENT ON COLUMN ops.suspects.since IS 'Since when, by the clock of the database.';

COMMENT ON TABLE ops.guest_secrets IS 'Secret of the hashes that stand for guests in customer keys. Only the owner of the warehouse may read it.';
COMMENT ON COLUMN ops.guest_secrets.shop_id IS 'Shop whose guests are hashed with it.';
COMMENT ON COLUMN ops.guest_secrets.secret IS 'The secret, where it was generated here. NULL: it is in the settings, and only its digest is kept.';
COMMENT ON COLUMN ops.guest_secrets.digest IS 'Digest by which the secret is recognized.';

COMMENT ON TABLE ops.migrations IS 'Which files of drizzle/ this database has, one row each.';
COMMENT ON COLUMN ops.migrations.name IS 'Name of the file: a migration, or views/ and a view.';
COMMENT ON COLUMN ops.migrations.hash IS 'Hash of the file as it was applied. A view is applied again when it differs; a migration must never change.';
COMMENT ON COLUMN ops.migrations.version IS 'Version of the program that applied it.';
COMMENT ON COLUMN ops.migrations.applied_at IS 'When it was applied last.';

COMMENT ON TABLE ops.stale_days IS 'Days whose stored sums are out of date, one row per mark. Triggers only add rows; ops.refresh_summaries() recomputes the sums and removes them.';
COMMENT ON COLUMN ops.stale_days.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.stale_days.day IS 'Day on which the orders were placed, in the shop''s time zone.';

COMMENT ON TABLE ops.stale_customers IS 'Customers whose stored sums are out of date, one row per mark. Triggers only add rows; ops.refresh_summaries() recomputes the sums and removes them.';
COMMENT ON COLUMN ops.stale_customers.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.stale_customers.customer_key IS 'Customer, as in core.orders.';

COMMENT ON FUNCTION ops.refresh_summaries() IS 'Recomputes what is marked as stale and removes the marks. Returns how many days and customers that were; NULL where another refresh, or an edit of what a sale is, was still running after 5 seconds. Figures do not depend on it, only the speed of queries.';
COMMENT ON FUNCTION ops.mark_everything() IS 'Marks every day and customer as stale: call it after orders were written with triggers switched off.';
