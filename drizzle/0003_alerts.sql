CREATE TABLE "ops"."alerts" (
	"shop_id" integer NOT NULL,
	"alert_id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "ops"."alerts_alert_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"cause" text NOT NULL,
	"text" text NOT NULL,
	"raised_at" timestamp with time zone NOT NULL,
	"told_at" timestamp with time zone,
	"recovered_at" timestamp with time zone,
	"recovery_told_at" timestamp with time zone,
	"given_up_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"retry_at" timestamp with time zone,
	"is_refused" boolean DEFAULT false NOT NULL,
	"problem" text,
	CONSTRAINT "alerts_shop_id_alert_id_pk" PRIMARY KEY("shop_id","alert_id"),
	CONSTRAINT "alerts_cause_check" CHECK ("ops"."alerts"."cause" IN ('failing','stale','credentials','deletions','rejections','clock','drift','crashes'))
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
	CONSTRAINT "payload_fields_resource_check" CHECK ("ops"."payload_fields"."resource" IN ('order','line'))
);
--> statement-breakpoint
ALTER TABLE "ops"."alerts" ADD CONSTRAINT "alerts_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."findings" ADD CONSTRAINT "findings_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."payload_fields" ADD CONSTRAINT "payload_fields_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_open_key" ON "ops"."alerts" USING btree ("shop_id","cause") WHERE "ops"."alerts"."closed_at" IS NULL;--> statement-breakpoint
CREATE INDEX "rejections_first_seen_idx" ON "ops"."rejections" USING btree ("shop_id","first_seen_at");

COMMENT ON TABLE ops.alerts IS 'What operators are told about shops: one row per shop and cause from when it was found until it was over, with the state of its delivery to the webhook.';
COMMENT ON COLUMN ops.alerts.shop_id IS 'Shop that the alert is about.';
COMMENT ON COLUMN ops.alerts.alert_id IS 'Number of the alert.';
COMMENT ON COLUMN ops.alerts.cause IS 'What is wrong: failing, stale, credentials, deletions, rejections, clock, drift or crashes.';
COMMENT ON COLUMN ops.alerts.text IS 'The same in words, with what to do. Holds no personal data.';
COMMENT ON COLUMN ops.alerts.raised_at IS 'When it was found.';
COMMENT ON COLUMN ops.alerts.told_at IS 'When the webhook took the alert. NULL: not yet, or given up.';
COMMENT ON COLUMN ops.alerts.recovered_at IS 'When it was over. NULL: it still lasts, or was given up before.';
COMMENT ON COLUMN ops.alerts.recovery_told_at IS 'When the webhook took the message of recovery. NULL: not yet, or there is none to send.';
COMMENT ON COLUMN ops.alerts.given_up_at IS 'When a message that the webhook had not taken for a day was given up. NULL: it was not.';
COMMENT ON COLUMN ops.alerts.closed_at IS 'When it recovered or was given up: from then on the same cause raises a new alert. NULL: it is open.';
COMMENT ON COLUMN ops.alerts.attempts IS 'Failed attempts to deliver the message that is waiting.';
COMMENT ON COLUMN ops.alerts.retry_at IS 'Earliest time of the next attempt. NULL: at once.';
COMMENT ON COLUMN ops.alerts.is_refused IS 'True if the webhook refused this very message, which then holds up no other.';
COMMENT ON COLUMN ops.alerts.problem IS 'Why the last attempt failed. NULL: it did not.';

COMMENT ON TABLE ops.findings IS 'What the latest sweeps found wrong with a shop, other than a failure: alerts are raised from it. A row is removed once a sweep finds that it is over.';
COMMENT ON COLUMN ops.findings.shop_id IS 'Shop of the sweep.';
COMMENT ON COLUMN ops.findings.cause IS 'What is wrong: credentials, deletions, clock, drift or crashes.';
COMMENT ON COLUMN ops.findings.detail IS 'The same in words. Holds no personal data.';
COMMENT ON COLUMN ops.findings.found_at IS 'When it was first found.';

COMMENT ON TABLE ops.payload_fields IS 'Names of the fields that the shop''s records had so far, so that an alert tells of new ones.';
COMMENT ON COLUMN ops.payload_fields.shop_id IS 'Shop of the records.';
COMMENT ON COLUMN ops.payload_fields.resource IS 'Kind of record: order, as listed, or line of an order.';
COMMENT ON COLUMN ops.payload_fields.field IS 'Name of the field in the shop''s responses.';
COMMENT ON COLUMN ops.payload_fields.is_new IS 'True if the field is not documented and first came after the shop was loaded.';
COMMENT ON COLUMN ops.payload_fields.first_seen_at IS 'When it was first seen.';
