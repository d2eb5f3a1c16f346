ALTER TABLE "ops"."shop_state" ADD COLUMN "next_sweep_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "sweep_planned_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "sweep_is_cut" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_state" ADD COLUMN "sweeps_begun" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ops"."shop_figures" DROP COLUMN "change_ages";--> statement-breakpoint
ALTER TABLE "ops"."shop_state" DROP COLUMN "silence_factor";--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.next_sweep_at IS 'From when on a worker sweeps the shop again.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.sweep_planned_at IS 'When next_sweep_at was set. In the future: by a clock that ran ahead, so that the shop is due.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.sweep_is_cut IS 'Whether the last sweep left something: its rest ranks behind shops that are due.';--> statement-breakpoint
COMMENT ON COLUMN ops.shop_state.sweeps_begun IS 'Sweeps that workers began since one last ended. Several in a row ended with their workers.';
