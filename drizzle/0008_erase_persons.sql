CREATE TABLE "ops"."erasures" (
	"shop_id" integer NOT NULL,
	"identifier_hash" text NOT NULL,
	"erased_at" timestamp with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp with time zone,
	CONSTRAINT "erasures_shop_id_identifier_hash_pk" PRIMARY KEY("shop_id","identifier_hash")
);
--> statement-breakpoint
ALTER TABLE "ops"."runs" DROP CONSTRAINT "runs_kind_check";--> statement-breakpoint
ALTER TABLE "core"."users" DROP CONSTRAINT "users_fetch_state_check";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "privacy_policy" text;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "scrub_target" text;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "scrub_stage" text;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "scrub_after" text;--> statement-breakpoint
ALTER TABLE "ops"."erasures" ADD CONSTRAINT "erasures_shop_id_shops_shop_id_fk" FOREIGN KEY ("shop_id") REFERENCES "core"."shops"("shop_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ops"."runs" ADD CONSTRAINT "runs_kind_check" CHECK ("ops"."runs"."kind" IN ('sync','backfill','verify','replay','forget'));--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD CONSTRAINT "shop_state_scrub_stage_check" CHECK ("ops"."shop_state"."scrub_stage" IN ('orders','users'));--> statement-breakpoint
ALTER TABLE "core"."users" ADD CONSTRAINT "users_fetch_state_check" CHECK ("core"."users"."fetch_state" IN ('pending','ok','not_found','failed','guest','erased'));

COMMENT ON TABLE ops.erasures IS 'Persons that the command forget erased. They are remembered by keyed hashes alone, so that later runs erase what the shop still sends.';
COMMENT ON COLUMN ops.erasures.shop_id IS 'Shop that knows the person.';
COMMENT ON COLUMN ops.erasures.identifier_hash IS 'Keyed hash of an e-mail address, a phone number or the number of an account.';
COMMENT ON COLUMN ops.erasures.erased_at IS 'When the command was given.';
COMMENT ON COLUMN ops.erasures.completed_at IS 'When nothing stored held the person any more. NULL: the next run of the shop completes it.';
COMMENT ON COLUMN ops.shop_state.privacy_policy IS 'PII_MODE and PII_KEPT_FIELDS that all stored rows comply with. NULL: persons are stored.';
COMMENT ON COLUMN ops.shop_state.scrub_target IS 'What an unfinished removal of persons removes, as a digest. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.scrub_stage IS 'What it works on: orders or users. NULL: none is unfinished.';
COMMENT ON COLUMN ops.shop_state.scrub_after IS 'The last record that it has done. NULL: none is unfinished.';
COMMENT ON COLUMN core.users.fetch_state IS 'Whether the other columns are filled: ok; pending: not fetched yet; not_found: the shop has no such user; failed: will be retried; guest: never fetched; erased: stands for the account of an erased person, under a number that the shop does not use.';

-- Whoever has the secret as well can test whether a person was erased.
DO $$
DECLARE
  granted regrole;
BEGIN
  REVOKE ALL ON ops.erasures FROM PUBLIC;
  FOR granted IN
    SELECT a.grantee FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
    WHERE c.oid = 'ops.erasures'::regclass AND a.grantee NOT IN (0, c.relowner)
  LOOP
    EXECUTE format('REVOKE ALL ON ops.erasures FROM %s', granted);
  END LOOP;
END $$;

COMMENT ON COLUMN ops.runs.kind IS 'Command: sync, backfill, verify, replay or forget.';
-- But the workers erase.
SELECT ops.grant_to_worker();
