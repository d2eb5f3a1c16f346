CREATE TABLE "core"."shown_field_texts" (
	"shop_id" integer NOT NULL,
	"field_key" text NOT NULL,
	"part" text NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "shown_field_texts_shop_id_field_key_part_text_pk" PRIMARY KEY("shop_id","field_key","part","text"),
	CONSTRAINT "shown_field_texts_part_check" CHECK ("core"."shown_field_texts"."part" IN ('key','name','label','value'))
);
--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "fields_counted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "fields_min_peers" integer;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "fields_waiting" integer;--> statement-breakpoint
ALTER TABLE "core"."shown_field_texts" ADD CONSTRAINT "shown_field_texts_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;

COMMENT ON TABLE core.order_form_fields IS 'Which extra order fields bi.order_fields and bi.sales_by_field show or hide. Edit it as you like; it is empty at first, and a sync never writes to it. Of fields without a row, only what many customers share is shown.';
COMMENT ON COLUMN core.order_form_fields.field_key IS 'Key of the field, exactly as in core.orders.fields.';
COMMENT ON COLUMN core.order_form_fields.is_shown IS 'True: every value of the field is shown. False: all are hidden. Key, name and label are shown either way.';

COMMENT ON TABLE core.shown_field_texts IS 'What bi.order_fields and bi.sales_by_field show of fields without a row in core.order_form_fields: texts that at least FIELDS_MIN_PEERS customers share. Decided anew by sweeps.';
COMMENT ON COLUMN core.shown_field_texts.shop_id IS 'Shop whose order form has the field.';
COMMENT ON COLUMN core.shown_field_texts.field_key IS 'Key of the field.';
COMMENT ON COLUMN core.shown_field_texts.part IS 'What the text is: key, name or label of the field, or one of its values.';
COMMENT ON COLUMN core.shown_field_texts.text IS 'The key, name, label or value itself.';

COMMENT ON COLUMN ops.shop_state.fields_counted_at IS 'When a sweep last decided which extra order fields bi shows. NULL: never.';
COMMENT ON COLUMN ops.shop_state.fields_min_peers IS 'FIELDS_MIN_PEERS at that time. NULL: never.';
COMMENT ON COLUMN ops.shop_state.fields_waiting IS 'Fields with values of which none is shown, and without a row in core.order_form_fields. NULL: never counted.';
