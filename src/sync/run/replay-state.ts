/** The state of replays: the version that made a shop's rows, and the position of an unfinished replay. */
import { z } from 'zod';

import type { Tx } from '../../warehouse/db/database.ts';
import { type ShopStateRow, updateShopState } from '../../warehouse/ops/stored-shop-state.ts';

export const STAGES = ['orders', 'users', 'groups'] as const;
export type Stage = (typeof STAGES)[number];

/** How far a replay has come: all stages before this one, and this one up to a key. */
const POSITION = z.object({
  /** Version of the normalizers that it continues with. */
  version: z.number(),
  /** It recreates the guests' customer keys. */
  rekey: z.boolean(),
  stage: z.enum(STAGES),
  after: z.string().nullable(),
  /** Records done so far, of all stages. */
  done: z.number(),
});
export type ReplayPosition = Readonly<z.infer<typeof POSITION>>;

export type ReplayState = {
  /** The oldest version that may have made a row of the shop. */
  readonly version: number;
  readonly position: ReplayPosition | undefined;
};

export function toReplayState(row: Pick<ShopStateRow, 'normalizer_version' | 'replay'>): ReplayState {
  return { version: row.normalizer_version, position: POSITION.safeParse(row.replay).data };
}

/** Call it in the transaction of the batch; nothing else writes this. */
export async function saveReplayState(
  tx: Tx,
  shopId: number,
  { version, position }: ReplayState,
  now: Temporal.Instant,
): Promise<void> {
  await updateShopState(tx, shopId, { normalizer_version: version, replay: position ?? null }, now);
}
