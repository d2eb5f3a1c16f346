ALTER TABLE "ops"."shop_state" DROP CONSTRAINT "shop_state_scrub_stage_check";--> statement-breakpoint
ALTER TABLE "core"."order_statuses" ADD COLUMN "is_shared" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "core"."order_statuses" ADD COLUMN "shown_code" text GENERATED ALWAYS AS (CASE WHEN is_documented OR is_shared OR stage <> 'unknown' OR is_sale OR name <> status_code OR name_local IS NOT NULL
    OR status_code COLLATE "C" ~ '^[A-Z0-9]{1,3}$' THEN status_code ELSE '(rare)' END) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "core"."payment_statuses" ADD COLUMN "is_shared" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "core"."payment_statuses" ADD COLUMN "shown_code" text GENERATED ALWAYS AS (CASE WHEN is_documented OR is_shared OR name <> pay_status_code OR name_local IS NOT NULL
    OR pay_status_code COLLATE "C" ~ '^[A-Z0-9]{1,3}$' THEN pay_status_code ELSE '(rare)' END) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD CONSTRAINT "shop_state_scrub_stage_check" CHECK ("ops"."shop_state"."scrub_stage" IN ('orders','rows','users'));

COMMENT ON COLUMN core.order_statuses.is_shared IS 'Whether so many customers share the code that it is shown although nobody classified it. Decided anew by sweeps.';
COMMENT ON COLUMN core.order_statuses.shown_code IS 'The code as bi and reports show it: the code itself, or (rare) for one that few customers share and nobody classified: it may hold a person.';
COMMENT ON COLUMN core.payment_statuses.is_shared IS 'Whether so many customers share the code that it is shown although nobody named it. Decided anew by sweeps.';
COMMENT ON COLUMN core.payment_statuses.shown_code IS 'The code as bi and reports show it: the code itself, or (rare) for one that few customers share and nobody named: it may hold a person.';
COMMENT ON COLUMN ops.shop_figures.unclassified IS 'Status codes that were not classified, with the number of current orders that have them: an array of {kind, code, orders}; the code (rare) stands for all that few customers share. NULL: not yet.';
COMMENT ON COLUMN ops.shop_state.scrub_stage IS 'What it works on: orders, rows of orders without a payload, or users. NULL: none is unfinished.';

-- They held rare codes. The next run of each shop counts and decides anew.
UPDATE ops.shop_figures SET unclassified = NULL, surveyed_at = NULL;
UPDATE ops.shop_state SET fields_counted_at = NULL;
