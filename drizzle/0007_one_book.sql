CREATE TABLE "ops"."due" (
	"shop_id" integer NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"reason" text,
	"data" jsonb,
	CONSTRAINT "due_shop_id_kind_key_pk" PRIMARY KEY("shop_id","kind","key"),
	CONSTRAINT "due_kind_check" CHECK ("ops"."due"."kind" IN ('lines','missing','count','audit','replay','user'))
);
--> statement-breakpoint
ALTER TABLE "ops"."due" ADD CONSTRAINT "due_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "due_at_idx" ON "ops"."due" USING btree ("shop_id","kind","due_at");--> statement-breakpoint
-- What was remembered in several places is one book from now on.
INSERT INTO ops.due (shop_id, kind, key, due_at, since)
SELECT shop_id, 'missing', order_id, since + interval '1 day', since FROM ops.suspects;--> statement-breakpoint
INSERT INTO ops.due (shop_id, kind, key, due_at, since, reason)
SELECT s.shop_id, 'count', f.facet, f.until, f.until, f.reason
FROM ops.shop_state s CROSS JOIN jsonb_to_recordset(s.facets_set_aside) AS f (facet text, reason text, until timestamptz)
ON CONFLICT DO NOTHING;--> statement-breakpoint
INSERT INTO ops.due (shop_id, kind, key, due_at, since, data)
SELECT shop_id, 'audit', '', (audit_position ->> 'began')::timestamptz, (audit_position ->> 'began')::timestamptz, audit_position - 'began'
FROM ops.shop_state WHERE audit_position IS NOT NULL;--> statement-breakpoint
INSERT INTO ops.due (shop_id, kind, key, due_at, data)
SELECT shop_id, 'replay', '', now(), jsonb_build_object('version', replay_version, 'rekey', replay_rekey, 'stage', replay_stage,
  'after', replay_after, 'done', replay_done)
FROM ops.shop_state WHERE replay_version IS NOT NULL;--> statement-breakpoint
-- Lines and users that could not be fetched were among the rejections.
INSERT INTO ops.due (shop_id, kind, key, due_at, since, attempts, reason)
SELECT o.shop_id, 'lines', o.order_id, now(), coalesce(o.lines_fetched_at, now()), o.lines_attempts, CASE WHEN o.lines_state = 'failed' THEN r.reason END
FROM core.orders o
LEFT JOIN (
  SELECT shop_id, source_key, max(reason) AS reason FROM ops.rejections
  WHERE resource = 'content' AND field IS NULL AND resolved_at IS NULL GROUP BY shop_id, source_key
) r ON r.shop_id = o.shop_id AND r.source_key = o.order_id::text
WHERE o.lines_state <> 'ok';--> statement-breakpoint
INSERT INTO ops.due (shop_id, kind, key, due_at, reason)
SELECT u.shop_id, 'user', u.user_oid, now(), r.reason
FROM core.users u
LEFT JOIN (
  SELECT shop_id, source_key, max(reason) AS reason FROM ops.rejections
  WHERE resource = 'user' AND field IS NULL AND resolved_at IS NULL GROUP BY shop_id, source_key
) r ON r.shop_id = u.shop_id AND r.source_key = u.user_oid::text
WHERE u.fetch_state = 'failed';--> statement-breakpoint
DELETE FROM ops.rejections WHERE resource IN ('content', 'user') AND field IS NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP CONSTRAINT "shop_state_replay_stage_check";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "audit_position";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "facets_set_aside";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "replay_version";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "replay_rekey";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "replay_stage";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "replay_after";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "replay_done";--> statement-breakpoint
DROP TABLE "ops"."suspects";--> statement-breakpoint
COMMENT ON TABLE ops.due IS 'What the sync is to do later, but for days, which are in ops.days: each row once its due_at is past.';--> statement-breakpoint
COMMENT ON COLUMN ops.due.shop_id IS 'Shop that it is about.';--> statement-breakpoint
COMMENT ON COLUMN ops.due.kind IS 'What is to be done: lines (ask for the lines of an order again: they could not be fetched, or contradict it), missing (believe the list, which left out an order that the shop does not report as gone), count (ask the shop to count again what its counts were wrong of), audit (go on reading the list without dates), replay (go on with an unfinished replay), user (ask for a user again who could not be fetched).';--> statement-breakpoint
COMMENT ON COLUMN ops.due.key IS 'What of: the number of the order or user, or what was counted. Empty: the shop.';--> statement-breakpoint
COMMENT ON COLUMN ops.due.due_at IS 'From then on it is to be done.';--> statement-breakpoint
COMMENT ON COLUMN ops.due.since IS 'Since when it is to be done.';--> statement-breakpoint
COMMENT ON COLUMN ops.due.attempts IS 'How often it was tried in vain: the pause between two attempts doubles.';--> statement-breakpoint
COMMENT ON COLUMN ops.due.reason IS 'Why it could not be done so far. NULL: nothing failed.';--> statement-breakpoint
COMMENT ON COLUMN ops.due.data IS 'Where to go on, of an audit or a replay. NULL: nowhere.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.line_relations IS 'What its count and sum are of an order''s lines, as nine of ten of its latest 300 orders showed: see core.line_checks.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.line_relations_at IS 'Orders that changed before that are compared with it. NULL: none is.';
