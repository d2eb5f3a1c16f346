-- What was set aside by an earlier rule is asked for again.
ALTER TABLE "ops"."shop_state" RENAME COLUMN "facet_doubts" TO "facets_set_aside";--> statement-breakpoint
UPDATE ops.shop_state SET facets_set_aside = '[]' WHERE facets_set_aside <> '[]';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.facets_set_aside IS 'What the shop is not asked to count for a day: facet, the reason, and until when.';
