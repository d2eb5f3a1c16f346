ALTER TABLE "core"."order_lines" ADD COLUMN "withheld" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "core"."orders" ADD COLUMN "withheld" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "core"."order_statuses" ADD COLUMN "code_no" integer;--> statement-breakpoint
ALTER TABLE "core"."payment_statuses" ADD COLUMN "code_no" integer;--> statement-breakpoint
UPDATE core.order_statuses t SET code_no = n.code_no
FROM (
  SELECT shop_id, status_code, row_number() OVER (PARTITION BY shop_id ORDER BY status_code)::integer AS code_no
  FROM core.order_statuses WHERE shown_code = '(hidden)' AND status_code <> '(hidden)'
) n
WHERE n.shop_id = t.shop_id AND n.status_code = t.status_code;--> statement-breakpoint
UPDATE core.payment_statuses t SET code_no = n.code_no
FROM (
  SELECT shop_id, pay_status_code, row_number() OVER (PARTITION BY shop_id ORDER BY pay_status_code)::integer AS code_no
  FROM core.payment_statuses WHERE shown_code = '(hidden)' AND pay_status_code <> '(hidden)'
) n
WHERE n.shop_id = t.shop_id AND n.pay_status_code = t.pay_status_code;--> statement-breakpoint
COMMENT ON COLUMN core.orders.withheld IS 'Texts of the order that are NULL here, or (hidden) for a code, since they hold a person: core.order_persons has what was sent.';--> statement-breakpoint
COMMENT ON COLUMN core.order_lines.withheld IS 'Texts of the line that are NULL here, since they hold a person: core.order_persons has what was sent.';--> statement-breakpoint
COMMENT ON COLUMN core.order_statuses.shown_code IS 'The code itself, or (hidden) for one that is not documented, does not look like a code, and that nobody classified: bi and reports show its number.';--> statement-breakpoint
COMMENT ON COLUMN core.order_statuses.code_no IS 'Number by which bi and reports show a code that does not look like a code, such as #3. NULL: it looks like one, or stands for codes that held a person.';--> statement-breakpoint
COMMENT ON COLUMN core.payment_statuses.shown_code IS 'The code itself, or (hidden) for one that is not documented, does not look like a code, and that nobody named: bi and reports show its number.';--> statement-breakpoint
COMMENT ON COLUMN core.payment_statuses.code_no IS 'Number by which bi and reports show a code that does not look like a code, such as #3. NULL: it looks like one, or stands for codes that held a person.';--> statement-breakpoint
COMMENT ON COLUMN core.order_versions.currency IS 'Currency of its amounts. NULL: not sent.';--> statement-breakpoint
COMMENT ON COLUMN core.order_persons.rest IS 'Every other field of the order''s list entry that is not known to be impersonal, values that could not be read, and texts in which a person was found, as the shop sent them. Personal data. NULL: none.';--> statement-breakpoint
COMMENT ON TABLE raw.user_groups IS 'The last list entry of each user group, as far as it is known to be impersonal.';--> statement-breakpoint
COMMENT ON TABLE ops.rejections IS 'Records and fields that could not be interpreted, with the reason; what was sent is in raw, or with the person.';
