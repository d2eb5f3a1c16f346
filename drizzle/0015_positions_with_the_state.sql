-- Where an audit or a replay goes on is not due at some time: it is part of what is remembered of the shop.
ALTER TABLE ops.shop_state ADD COLUMN replay jsonb;--> statement-breakpoint
UPDATE ops.shop_state s SET replay = d.data FROM ops.due d WHERE d.shop_id = s.shop_id AND d.kind = 'replay';--> statement-breakpoint
UPDATE ops.shop_state s SET memory = s.memory || jsonb_build_object('auditPosition', d.data || jsonb_build_object('began', d.since))
FROM ops.due d WHERE d.shop_id = s.shop_id AND d.kind = 'audit';--> statement-breakpoint
DELETE FROM ops.due WHERE kind IN ('audit', 'replay');--> statement-breakpoint
ALTER TABLE ops.due DROP CONSTRAINT due_kind_check;--> statement-breakpoint
ALTER TABLE ops.due ADD CONSTRAINT due_kind_check CHECK (kind IN ('lines', 'missing', 'count', 'user'));--> statement-breakpoint
ALTER TABLE ops.due DROP COLUMN data;--> statement-breakpoint
COMMENT ON COLUMN ops.due.kind IS 'What is to be done: lines (ask for the lines of an order again: they could not be fetched, or contradict it), missing (believe the list, which left out an order that the shop does not report as gone), count (ask the shop to count again what its counts were wrong of), user (ask for a user again who could not be fetched).';--> statement-breakpoint
COMMENT ON COLUMN ops.due.key IS 'What of: the number of the order or user, or what was counted.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.replay IS 'Where an unfinished replay goes on: the version of the normalizers, its stage, and the last record done. NULL: none is unfinished.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.memory IS 'What sizes requests and is shown, and proves nothing: how the list is paged, the throttle state, the pause that the shop requested, the last audit and where the next one goes on, counts, requests by hour.';
