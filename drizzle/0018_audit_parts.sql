-- Works with order-sync 0.1.0 and later.
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
ALTER TABLE "ops"."audit_parts" ADD CONSTRAINT "audit_parts_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
COMMENT ON TABLE ops.audit_parts IS 'What an audit that did not end has read of the shop''s list, a stretch of it each; the next one goes on there. Empty once it has ended.';--> statement-breakpoint
COMMENT ON COLUMN ops.audit_parts.shop_id IS 'Shop that the list is of.';--> statement-breakpoint
COMMENT ON COLUMN ops.audit_parts.orders_read IS 'How many entries of the list were read by then.';--> statement-breakpoint
COMMENT ON COLUMN ops.audit_parts.began_at IS 'When the audit began, by the worker''s clock.';--> statement-breakpoint
COMMENT ON COLUMN ops.audit_parts.list_start IS 'Position in the list at which to go on.';--> statement-breakpoint
COMMENT ON COLUMN ops.audit_parts.list_total IS 'How many orders the shop said it has, when the audit began. NULL: it did not say.';--> statement-breakpoint
COMMENT ON COLUMN ops.audit_parts.list_ends IS 'Oldest and newest orders of the list by then, with their local times, and whether it is in order of time.';--> statement-breakpoint
COMMENT ON COLUMN ops.audit_parts.order_ids IS 'Orders that were listed since the stretch before.';
