-- Works with order-sync 0.1.0 and later.
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
	"item_count" integer,
	"is_deleted" boolean NOT NULL,
	"is_reread" boolean NOT NULL,
	CONSTRAINT "order_versions_shop_id_order_id_valid_until_pk" PRIMARY KEY("shop_id","order_id","valid_until")
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
ALTER TABLE "core"."orders" ADD COLUMN "stored_at" timestamp with time zone;--> statement-breakpoint
-- Of orders that are there already it is not known.
ALTER TABLE "core"."orders" ALTER COLUMN "stored_at" SET DEFAULT now();--> statement-breakpoint
ALTER TABLE "core"."order_versions" ADD CONSTRAINT "order_versions_shop_id_order_id_orders_shop_id_order_id_fk" FOREIGN KEY ("shop_id","order_id") REFERENCES "core"."orders"("shop_id","order_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "core"."status_versions" ADD CONSTRAINT "status_versions_shop_id_status_code_order_statuses_shop_id_status_code_fk" FOREIGN KEY ("shop_id","status_code") REFERENCES "core"."order_statuses"("shop_id","status_code") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "order_versions_created_on_idx" ON "core"."order_versions" USING btree ("created_on");--> statement-breakpoint

-- Whoever changes what daily reports show of an order leaves behind what they showed until then. The time is that of the write, which
-- row_changed_at says. A customer key that changes though nothing did in the shop, as when guests get other keys, changes in the past
-- too, so that no key remains that was to go.
CREATE FUNCTION ops.keep_order_versions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE core.order_versions v SET customer_key = n.customer_key
  FROM old_rows o JOIN new_rows n USING (shop_id, order_id)
  WHERE v.shop_id = o.shop_id AND v.order_id = o.order_id AND v.customer_key = o.customer_key
    AND n.customer_key <> o.customer_key AND n.changed_at = o.changed_at;
  INSERT INTO core.order_versions (shop_id, order_id, valid_until, valid_from, created_on, created_at, currency, status_code,
    customer_key, order_sum, paid_amount, item_count, is_deleted, is_reread)
  SELECT o.shop_id, o.order_id,
    CASE WHEN n.row_changed_at > o.row_changed_at THEN n.row_changed_at ELSE clock_timestamp() END,
    coalesce((SELECT max(v.valid_until) FROM core.order_versions v WHERE v.shop_id = o.shop_id AND v.order_id = o.order_id),
      o.stored_at, o.first_seen_at),
    o.created_on, o.created_at, o.currency, o.status_code,
    CASE WHEN n.changed_at = o.changed_at THEN n.customer_key ELSE o.customer_key END,
    o.order_sum, o.paid_amount, o.item_count, o.deleted_at IS NOT NULL,
    n.changed_at = o.changed_at AND (n.deleted_at IS NULL) = (o.deleted_at IS NULL)
  FROM old_rows o JOIN new_rows n USING (shop_id, order_id)
  WHERE (o.created_on, o.created_at, o.currency, o.status_code, o.order_sum, o.paid_amount, o.item_count, o.deleted_at IS NULL,
      CASE WHEN n.changed_at <> o.changed_at THEN o.customer_key END)
    IS DISTINCT FROM (n.created_on, n.created_at, n.currency, n.status_code, n.order_sum, n.paid_amount, n.item_count, n.deleted_at IS NULL,
      CASE WHEN n.changed_at <> o.changed_at THEN n.customer_key END)
  -- Two writes of one moment: what was before the first counts.
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;--> statement-breakpoint

CREATE FUNCTION ops.keep_status_versions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO core.status_versions (shop_id, status_code, valid_until, valid_from, stage, is_sale)
  SELECT o.shop_id, o.status_code, clock_timestamp(),
    coalesce((SELECT max(v.valid_until) FROM core.status_versions v WHERE v.shop_id = o.shop_id AND v.status_code = o.status_code), '-infinity'),
    o.stage, o.is_sale
  FROM old_rows o JOIN new_rows n USING (shop_id, status_code)
  WHERE (o.stage, o.is_sale) IS DISTINCT FROM (n.stage, n.is_sale);
  RETURN NULL;
END $$;--> statement-breakpoint

-- A Citus has no triggers on tables that are spread over its nodes.
DO $$
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    RETURN;
  END IF;
  CREATE TRIGGER versions_kept AFTER UPDATE ON core.orders
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  WHEN (current_setting('order_sync.versions', true) IS DISTINCT FROM 'none') EXECUTE FUNCTION ops.keep_order_versions();
  CREATE TRIGGER versions_kept AFTER UPDATE ON core.order_statuses
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ops.keep_status_versions();
END $$;--> statement-breakpoint

COMMENT ON COLUMN core.orders.stored_at IS 'When the order was first written here. NULL: before this was recorded.';--> statement-breakpoint
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
