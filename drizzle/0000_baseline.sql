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

-- Default privileges cover a new view only if the role existed when they were set and the same user creates the view. This
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

-- Anyone who knows the secret can identify guests by their e-mail addresses. Default privileges may allow others to read
-- every new table.
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
-- Every write, by whatever client, marks the days and customers whose sums it makes stale, in the same transaction. The views
-- read stored sums where there is no mark and recompute the rest, so they are exact at any time. ops.refresh_summaries()
-- stores the recomputed sums and removes the marks; it affects only speed. Marks are added, never updated, so concurrent
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

-- Lines affect the sums of their order's day, only by their product. One transaction may write a line or a state while another
-- moves the order to a different day. So the order is locked until the transaction ends, and the day marked is the one that
-- the order then has.
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

-- Only past states of the history matter: the order itself has the current one.
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

-- Analysts decide what counts as a sale. The lock keeps a refresh from storing sums by the old rule before this commits;
-- orders that are loaded in the meantime set their own marks. With an older snapshot, orders that arrived in the meantime
-- would stay unmarked.
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

-- Also for use after rows were loaded with triggers disabled.
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

-- A load of new orders marks their days and customers in one statement, and sets this for the rest of its transaction, so
-- that the triggers skip the work.
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

-- One statement means one snapshot: a mark that another transaction adds in the meantime stays.
CREATE FUNCTION ops.refresh_summaries(OUT days bigint, OUT customers bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
  -- One refresh at a time, and none while someone changes what counts as a sale. Writers of orders do not wait.
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
  -- Counting the deleted rows forces the deletion to run first.
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

-- With a publication for all tables, rows of a table without a key could not be deleted.
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
COMMENT ON SCHEMA core IS 'The shops'' records, typed and cleaned, one table per kind. Contains personal data; use bi for reports.';
COMMENT ON SCHEMA raw IS 'The shop''s last response for each record, unchanged, so that it can be interpreted again without another request. Contains personal data.';
COMMENT ON SCHEMA ops IS 'Bookkeeping of the synchronization: verified days, runs, rejected values, leases and shop state.';
COMMENT ON SCHEMA bi IS 'Views for reports and BI tools: joins done, one meaning per column, no names, e-mails, phone numbers or addresses of buyers. Use this schema instead of core.';
COMMENT ON SCHEMA bi_pii IS 'Views with personal data of buyers, for people who need to contact them. Their keys join with the views of bi.';

COMMENT ON TABLE core.shops IS 'One row per shop that is synchronized into this warehouse.';
COMMENT ON COLUMN core.shops.shop_id IS 'Number of the shop in this warehouse; first part of almost every key.';
COMMENT ON COLUMN core.shops.shop_key IS 'Short name of the shop, from the settings.';
COMMENT ON COLUMN core.shops.base_url IS 'Address of the shop''s API.';
COMMENT ON COLUMN core.shops.timezone IS 'IANA time zone of the shop: its API sends times without a zone.';
COMMENT ON COLUMN core.shops.created_at IS 'When the shop was registered here.';

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

COMMENT ON TABLE core.payment_statuses IS 'One row per shop and payment status code. Edit it as you like. A sync adds unknown codes and overwrites nothing.';
COMMENT ON COLUMN core.payment_statuses.shop_id IS 'Shop that uses the code.';
COMMENT ON COLUMN core.payment_statuses.pay_status_code IS 'Code as the shop sends it; empty text if it sends none.';
COMMENT ON COLUMN core.payment_statuses.name IS 'English name; for a new code, the code itself.';
COMMENT ON COLUMN core.payment_statuses.name_local IS 'Name in the shop''s language, shown instead of the English one. NULL: not entered.';
COMMENT ON COLUMN core.payment_statuses.is_documented IS 'Whether the code is in the platform''s documentation; false for the shop''s own.';

COMMENT ON TABLE core.order_form_fields IS 'Which extra order fields bi.order_fields and bi.sales_by_field show or hide. Edit it as you like; it is empty at first, and a sync never writes to it. Fields without a row are shown or hidden by a best-effort rule.';
COMMENT ON COLUMN core.order_form_fields.shop_id IS 'Shop whose order form has the field.';
COMMENT ON COLUMN core.order_form_fields.field_key IS 'Key of the field, exactly as in bi.order_fields.';
COMMENT ON COLUMN core.order_form_fields.is_shown IS 'True: every value of the field is shown, whatever it looks like. False: all are hidden.';

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

COMMENT ON TABLE core.users IS 'Buyers that orders refer to, as the shop knows them today. Personal data. User number 6 is the guest account, shared by everyone who was not logged in.';
COMMENT ON COLUMN core.users.shop_id IS 'Shop of the user.';
COMMENT ON COLUMN core.users.user_oid IS 'The shop''s number of the user; orders refer to it as buyer_oid.';
COMMENT ON COLUMN core.users.fetch_state IS 'Whether the other columns are filled: ok; pending: not fetched yet; not_found: the shop has no such user; failed: will be retried; guest: never fetched.';
COMMENT ON COLUMN core.users.group_oid IS 'Group the user belongs to, see core.user_groups. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.login IS 'Login name. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.email IS 'E-mail address. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.phone IS 'Phone number as entered. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.name IS 'Name of the person. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.org_name IS 'Name of the organization. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.gender IS 'Gender, as the shop words it. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.level IS 'Level of the user; the shop defines its meaning. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.address IS 'Postal address as entered. Personal data. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.images IS 'Pictures of the user, a list of paths and sizes. NULL: none, or not fetched.';
COMMENT ON COLUMN core.users.content IS 'All data fields of the user, including those without a column here. Personal data. NULL: not fetched.';
COMMENT ON COLUMN core.users.owner_oid IS 'Number of the user who owns the record. NULL: not sent.';
COMMENT ON COLUMN core.users.visible IS 'Visibility as the shop sends it; its values are not documented. NULL: not sent.';
COMMENT ON COLUMN core.users.access IS 'Access rights as a code of the shop; its values are not documented. NULL: not sent.';
COMMENT ON COLUMN core.users.created_local IS 'When the user registered, in the shop''s local time. NULL: not fetched or not readable.';
COMMENT ON COLUMN core.users.updated_local IS 'When the record was last changed, in the shop''s local time. NULL: not fetched or not readable.';
COMMENT ON COLUMN core.users.created_at IS 'When the user registered, as a timestamp. NULL: not fetched or not readable.';
COMMENT ON COLUMN core.users.fetched_at IS 'When the user was last requested. NULL: never.';

COMMENT ON TABLE core.orders IS 'One row per order that the shop has or had; deleted ones are marked, not removed. Personal data. Use bi.orders for reports.';
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
COMMENT ON COLUMN core.orders.buyer_name IS 'Name given with the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.orders.buyer_email IS 'E-mail given with the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.orders.buyer_phone IS 'Phone number given with the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.orders.buyer_address IS 'Postal address given with the order. Personal data. NULL: none.';
COMMENT ON COLUMN core.orders.comment IS 'Comment on the order. May contain personal data. NULL: none.';
COMMENT ON COLUMN core.orders.fields IS 'The shop''s own order fields by key, each with its value, name and label in the shop''s language. May contain personal data. NULL: none, or not decodable (see ops.rejections).';
COMMENT ON COLUMN core.orders.user_unique_key IS 'Key of the user as the shop sends it; several users can share one, so do not count by it. NULL: not sent.';
COMMENT ON COLUMN core.orders.order_hash IS 'The shop''s hash of the order; what it is computed from is not documented. NULL: not sent.';
COMMENT ON COLUMN core.orders.views IS 'View counter of the shop; what it counts is not documented. NULL: not sent. May be outdated: if only this changes, the order is not updated.';
COMMENT ON COLUMN core.orders.users_raw IS 'The field "users" as sent; its meaning is not documented. NULL: empty.';
COMMENT ON COLUMN core.orders.fingerprint IS 'Hash of the order as listed, without the view counter; differs if the shop changed anything.';
COMMENT ON COLUMN core.orders.lines_state IS 'Whether the lines in core.order_lines are up to date: ok; pending: not fetched yet; failed: the last attempt failed; older lines are kept, and it will be retried.';
COMMENT ON COLUMN core.orders.lines_fetched_at IS 'When the lines were last requested, successfully or not. NULL: never.';
COMMENT ON COLUMN core.orders.lines_attempts IS 'Failed attempts to fetch the lines since the last success.';
COMMENT ON COLUMN core.orders.first_seen_at IS 'When this warehouse first saw the order.';
COMMENT ON COLUMN core.orders.changed_at IS 'When this warehouse last saw the order change.';
COMMENT ON COLUMN core.orders.missing_since IS 'When the shop''s list first lacked the order; cleared when it is seen again. NULL: it is listed.';
COMMENT ON COLUMN core.orders.deleted_at IS 'When the order was found to be deleted from the shop; cleared when it is seen again. NULL: it exists.';

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

COMMENT ON TABLE core.status_paths IS 'Number of orders that are not deleted, by shop, day, status and earlier statuses. Valid only for days without a mark in ops.stale_days: read core.status_path_totals.';
COMMENT ON COLUMN core.status_paths.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.status_paths.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.status_paths.status_code IS 'Current status of the orders.';
COMMENT ON COLUMN core.status_paths.earlier IS 'Other statuses in which the orders were seen before, sorted.';
COMMENT ON COLUMN core.status_paths.orders IS 'Number of orders.';

COMMENT ON TABLE core.product_months IS 'Number of sales with a product, by shop and month. Valid only for months without a mark in ops.stale_days: read core.product_month_totals.';
COMMENT ON COLUMN core.product_months.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.product_months.month IS 'First day of the month in which the orders were placed.';
COMMENT ON COLUMN core.product_months.product_oid IS 'Product. NULL: all sales with any known product.';
COMMENT ON COLUMN core.product_months.orders IS 'Sales with at least one line of the product.';

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

COMMENT ON TABLE core.customer_cuts IS 'Values that divide a shop''s customers in a currency into fifths; no row for fewer than five customers. Valid only for shops without a mark in ops.stale_customers: read core.customer_cut_totals.';
COMMENT ON COLUMN core.customer_cuts.shop_id IS 'Shop of the customers.';
COMMENT ON COLUMN core.customer_cuts.currency IS 'Currency of their sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_cuts.days IS 'The four dates of the latest sale at which a fifth begins.';
COMMENT ON COLUMN core.customer_cuts.orders IS 'The four numbers of sales at which a fifth begins, among customers with more than one sale; NULL if there are none.';
COMMENT ON COLUMN core.customer_cuts.revenues IS 'The four sums of sales at which a fifth begins.';

COMMENT ON TABLE raw.orders IS 'The last list entry of each order, as received.';
COMMENT ON COLUMN raw.orders.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.orders.order_id IS 'Order it describes.';
COMMENT ON COLUMN raw.orders.payload IS 'The entry as JSON. Personal data.';
COMMENT ON COLUMN raw.orders.fetched_at IS 'When it was received.';

COMMENT ON TABLE raw.order_contents IS 'The last response with the lines of each order, as received.';
COMMENT ON COLUMN raw.order_contents.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.order_contents.order_id IS 'Order it describes.';
COMMENT ON COLUMN raw.order_contents.payload IS 'The response as JSON.';
COMMENT ON COLUMN raw.order_contents.fetched_at IS 'When it was received.';

COMMENT ON TABLE raw.users IS 'The last response for each user, as received.';
COMMENT ON COLUMN raw.users.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.users.user_key IS 'Key by which the user was requested.';
COMMENT ON COLUMN raw.users.payload IS 'The response as JSON. Personal data. NULL: the shop knows no such user.';
COMMENT ON COLUMN raw.users.http_status IS 'HTTP status of the response. NULL: not recorded.';
COMMENT ON COLUMN raw.users.fetched_at IS 'When it was received.';

COMMENT ON TABLE raw.user_groups IS 'The last list entry of each user group, as received.';
COMMENT ON COLUMN raw.user_groups.shop_id IS 'Shop that sent it.';
COMMENT ON COLUMN raw.user_groups.group_oid IS 'Group it describes.';
COMMENT ON COLUMN raw.user_groups.payload IS 'The entry as JSON.';
COMMENT ON COLUMN raw.user_groups.fetched_at IS 'When it was received.';

COMMENT ON TABLE ops.days IS 'The ledger: one row per shop and day, with when the day was last proven equal to the shop. A day without a row was empty when the next day with a row was verified. See bi.completeness.';
COMMENT ON COLUMN ops.days.shop_id IS 'Shop of the day.';
COMMENT ON COLUMN ops.days.day IS 'Calendar day in the shop''s time zone.';
COMMENT ON COLUMN ops.days.verified_at IS 'When the day was last read whole. NULL: never.';
COMMENT ON COLUMN ops.days.orders_seen IS 'Orders that the shop had on the day at that time. NULL: never read whole.';
COMMENT ON COLUMN ops.days.changed_at IS 'When a reading last found a new, changed or missing order on the day. NULL: never.';
COMMENT ON COLUMN ops.days.attempts IS 'Failed attempts since the last success.';
COMMENT ON COLUMN ops.days.last_error IS 'Why the latest attempt failed. NULL: it did not fail.';
COMMENT ON COLUMN ops.days.read_from IS 'For a day that takes several windows: it has been read from this minute, in the shop''s zone, to midnight, and the next sweep continues below. NULL: no reading is in progress.';
COMMENT ON COLUMN ops.days.read_since IS 'When the reading in progress began: once the rest is read, the day is verified as of then. NULL: none is in progress.';
COMMENT ON COLUMN ops.days.read_orders IS 'Orders found on the day so far by the reading in progress. NULL: none is in progress.';
COMMENT ON COLUMN ops.days.read_restless IS 'True if the reading in progress found anything but the stored orders: the day is then read once more before it counts as verified. NULL: none is in progress.';
COMMENT ON COLUMN ops.days.read_held IS 'Digest of the day''s stored orders when read_from was written. If they changed since, and read_restless is false, the reading starts again. NULL: none is in progress.';

COMMENT ON TABLE ops.runs IS 'One row per run of a command on a shop, with what it did.';
COMMENT ON COLUMN ops.runs.run_id IS 'Number of the run.';
COMMENT ON COLUMN ops.runs.shop_id IS 'Shop it worked on.';
COMMENT ON COLUMN ops.runs.kind IS 'Command: sync, backfill, verify or replay.';
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

COMMENT ON TABLE ops.leases IS 'Which process may write a shop''s data now: one at a time.';
COMMENT ON COLUMN ops.leases.shop_id IS 'Shop the lease is for.';
COMMENT ON COLUMN ops.leases.epoch IS 'Increases with every change of owner; writes with an older epoch are refused.';
COMMENT ON COLUMN ops.leases.holder IS 'Process that owns the lease, or owned it last.';
COMMENT ON COLUMN ops.leases.expires_at IS 'When it expires unless renewed.';

COMMENT ON TABLE ops.rejections IS 'Records and fields that could not be interpreted, with the reason; the original is in raw.';
COMMENT ON COLUMN ops.rejections.rejection_id IS 'Number of the rejection.';
COMMENT ON COLUMN ops.rejections.shop_id IS 'Shop that sent the record.';
COMMENT ON COLUMN ops.rejections.resource IS 'Kind of record: order, content (an order''s lines), user or group.';
COMMENT ON COLUMN ops.rejections.source_key IS 'The shop''s number or key of the record. NULL: it has none.';
COMMENT ON COLUMN ops.rejections.field IS 'Field that was not understood. NULL: the whole record.';
COMMENT ON COLUMN ops.rejections.reason IS 'Why it was not understood.';
COMMENT ON COLUMN ops.rejections.value IS 'The value, if it may be kept. NULL: not kept. May contain personal data.';
COMMENT ON COLUMN ops.rejections.digest IS 'Hash by which a repeated rejection is recognized.';
COMMENT ON COLUMN ops.rejections.first_seen_at IS 'When it first occurred.';
COMMENT ON COLUMN ops.rejections.last_seen_at IS 'When it last occurred.';
COMMENT ON COLUMN ops.rejections.seen_count IS 'How often it occurred.';
COMMENT ON COLUMN ops.rejections.resolved_at IS 'When the record was understood after all. NULL: still open.';

COMMENT ON TABLE ops.shop_state IS 'What is remembered about each shop between runs: how its order list is paged, the throttle state, and the progress of audits and replays.';
COMMENT ON COLUMN ops.shop_state.shop_id IS 'Shop that the row is about.';
COMMENT ON COLUMN ops.shop_state.page_limit IS 'Limit in the latest list requests.';
COMMENT ON COLUMN ops.shop_state.page_rows IS 'Rows in a full page of the order list. 0: none seen yet.';
COMMENT ON COLUMN ops.shop_state.is_uneven IS 'True if pages came short that were not the last one.';
COMMENT ON COLUMN ops.shop_state.total_meaning IS 'Whether the list''s total is the number of matching orders: matches, other or unknown.';
COMMENT ON COLUMN ops.shop_state.wants_both_dates IS 'True if the shop ignores a single date, so that both are sent.';
COMMENT ON COLUMN ops.shop_state.freshness IS 'Freshness policy of the last sweep: an array of {younger_than_days, target_seconds}, ages ascending, the last age null for all older days.';
COMMENT ON COLUMN ops.shop_state.concurrency IS 'How many requests were allowed in flight when this was last saved. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.lowest_concurrency IS 'Lowest value to which the client reduced concurrency. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.max_concurrency IS 'Maximum of requests in flight, from the settings. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.max_rps IS 'Maximum of requests per second, from the settings. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.circuit IS 'State of the circuit breaker: closed while the shop responds, open while it is down, half-open while it is probed. NULL: no run yet.';
COMMENT ON COLUMN ops.shop_state.paused_until IS 'End of the pause that the shop requested. NULL: none.';
COMMENT ON COLUMN ops.shop_state.audited_at IS 'When the list was last read without dates. NULL: never.';
COMMENT ON COLUMN ops.shop_state.audit_orders IS 'Number of orders in that list. NULL: it was never read.';
COMMENT ON COLUMN ops.shop_state.audit_total IS 'Total that the shop reported then. NULL: none.';
COMMENT ON COLUMN ops.shop_state.audit_live IS 'Orders in the warehouse then, without missing and deleted ones. NULL: as many as in the list.';
COMMENT ON COLUMN ops.shop_state.completed_at IS 'When a sweep last finished all due days. NULL: never.';
COMMENT ON COLUMN ops.shop_state.normalizer_version IS 'Earliest version of the normalizers that may have produced any row of the shop.';
COMMENT ON COLUMN ops.shop_state.replay_version IS 'Version of the normalizers in an unfinished replay. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.replay_rekey IS 'True if that replay recomputes the guests'' customer keys. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.replay_stage IS 'Kind of record that it is processing: orders, users or groups. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.replay_after IS 'Key of the last record of that kind that it processed. NULL: none yet.';
COMMENT ON COLUMN ops.shop_state.replay_done IS 'Records of all kinds processed so far. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.saved_at IS 'When the row was last changed.';

COMMENT ON TABLE ops.suspects IS 'Orders that the shop''s list left out, although the shop does not report them as gone. They are checked again until this is resolved.';
COMMENT ON COLUMN ops.suspects.shop_id IS 'Shop of the order.';
COMMENT ON COLUMN ops.suspects.order_id IS 'Order that was left out.';
COMMENT ON COLUMN ops.suspects.since IS 'Since when, by the database''s clock.';

COMMENT ON TABLE ops.guest_secrets IS 'Secret of the hashes that identify guests in customer keys. Only the owner of the warehouse may read it.';
COMMENT ON COLUMN ops.guest_secrets.shop_id IS 'Shop whose guests are hashed with it.';
COMMENT ON COLUMN ops.guest_secrets.secret IS 'The secret, if it was generated here. NULL: it is in the settings, and only its digest is stored.';
COMMENT ON COLUMN ops.guest_secrets.digest IS 'Digest of the secret, to detect a different one.';

COMMENT ON TABLE ops.migrations IS 'The files of drizzle/ that were applied to this database, one row each.';
COMMENT ON COLUMN ops.migrations.name IS 'Name of the file: a migration, or views/ and a view.';
COMMENT ON COLUMN ops.migrations.hash IS 'Hash of the file as it was applied. A view is applied again if it differs; a migration must never change.';
COMMENT ON COLUMN ops.migrations.version IS 'Version of the program that applied it.';
COMMENT ON COLUMN ops.migrations.applied_at IS 'When it was last applied.';

COMMENT ON TABLE ops.stale_days IS 'Days whose stored sums are out of date, one row per mark. Triggers only add rows; ops.refresh_summaries() recomputes the sums and removes them.';
COMMENT ON COLUMN ops.stale_days.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.stale_days.day IS 'Day on which the orders were placed, in the shop''s time zone.';

COMMENT ON TABLE ops.stale_customers IS 'Customers whose stored sums are out of date, one row per mark. Triggers only add rows; ops.refresh_summaries() recomputes the sums and removes them.';
COMMENT ON COLUMN ops.stale_customers.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN ops.stale_customers.customer_key IS 'Customer, as in core.orders.';

COMMENT ON FUNCTION ops.refresh_summaries() IS 'Recomputes what is marked as stale and removes the marks. Returns the number of days and customers; NULL if another refresh, or a change of what counts as a sale, was still running after 5 seconds. It affects only the speed of queries, never the figures.';
COMMENT ON FUNCTION ops.mark_everything() IS 'Marks every day and customer as stale: call it after writing orders with triggers disabled.';
