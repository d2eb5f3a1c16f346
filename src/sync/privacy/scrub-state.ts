/** How far the removal of persons from what is stored has come. */
import { z } from 'zod';

import type { Tx } from '../../warehouse/db/database.ts';
import { type ShopStateRow, updateShopState } from '../../warehouse/ops/stored-shop-state.ts';

/** Orders with a payload, orders without, accounts. */
export const SCRUB_STAGES = ['orders', 'rows', 'users'] as const;
export type ScrubStage = (typeof SCRUB_STAGES)[number];

export type ScrubPosition = {
  /** What is being removed, see `scrubTarget`: the position is of no use for anything else. */
  readonly target: string;
  readonly stage: ScrubStage;
  readonly after: string | undefined;
};

export type ScrubState = {
  /** The setting that all stored rows comply with, see `privacyPolicy`. */
  readonly policy: string | null;
  readonly position: ScrubPosition | undefined;
};

const stored = z.object({
  scrub_target: z.string(),
  scrub_stage: z.enum(SCRUB_STAGES),
  scrub_after: z.string().nullable(),
});

export function toScrubState(row: ShopStateRow): ScrubState {
  const { data } = stored.safeParse(row);
  const position = data && {
    target: data.scrub_target,
    stage: data.scrub_stage,
    after: data.scrub_after ?? undefined,
  };
  return { policy: row.privacy_policy, position };
}

/** Call it in the transaction of the batch; nothing else writes these columns. */
export async function saveScrubState(
  tx: Tx,
  shopId: number,
  { policy, position }: ScrubState,
  now: Temporal.Instant,
): Promise<void> {
  const columns = {
    privacy_policy: policy,
    scrub_target: position?.target ?? null,
    scrub_stage: position?.stage ?? null,
    scrub_after: position?.after ?? null,
  };
  await updateShopState(tx, shopId, columns, now);
}
