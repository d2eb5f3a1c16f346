-- What was set aside by an earlier rule is asked for again.
ALTER TABLE "ops"."shop_state" RENAME COLUMN "facet_doubts" TO "facets_set_aside";--> statement-breakpoint
UPDATE ops.shop_state SET facets_set_aside = '[]' WHERE facets_set_aside <> '[]';--> statement-breakpoint
-- An audit that was begun begins again.
DROP TABLE "ops"."audit_parts";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "audit_live";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "audit_position" jsonb;--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.facets_set_aside IS 'What the shop is not asked to count for a day: facet, the reason, and until when.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.audited_at IS 'When the list without dates was last read to its end. NULL: never.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.audit_position IS 'Where the reading of that list goes on: when it began, the position, the order there, and the orders without a date that were seen. NULL: none was begun, or it has ended.';
