-- Where an audit goes on is not due at some time: it is part of what is remembered of the shop.
UPDATE ops.shop_state s SET memory = s.memory || jsonb_build_object('auditPosition', d.data || jsonb_build_object('began', d.since))
FROM ops.due d WHERE d.shop_id = s.shop_id AND d.kind = 'audit';--> statement-breakpoint
DELETE FROM ops.due WHERE kind = 'audit';--> statement-breakpoint
ALTER TABLE "ops"."due" DROP CONSTRAINT "due_kind_check";--> statement-breakpoint
ALTER TABLE "ops"."due" ADD CONSTRAINT "due_kind_check" CHECK ("ops"."due"."kind" IN ('lines','missing','count','replay','user'));--> statement-breakpoint
COMMENT ON COLUMN ops.due.kind IS 'What is to be done: lines (ask for the lines of an order again: they could not be fetched, or contradict it), missing (believe the list, which left out an order that the shop does not report as gone), count (ask the shop to count again what its counts were wrong of), replay (go on with an unfinished replay), user (ask for a user again who could not be fetched).';--> statement-breakpoint
COMMENT ON COLUMN ops.due.data IS 'Where to go on, of a replay. NULL: nowhere.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.memory IS 'What sizes requests and is shown, and proves nothing: how the list is paged, the throttle state, the pause that the shop requested, the last audit and where the next one goes on, counts, requests by hour.';
