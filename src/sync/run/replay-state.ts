/** The state of replays: the version that made a shop's rows, and the position of an unfinished replay. */
import type { Tx } from '../../warehouse/db/database.ts';
import { REPLAY_STAGES } from '../../warehouse/schema/shop-state.ts';
import {
  type ShopStateChanges,
  type ShopStateRow,
  updateShopState,
} from '../../warehouse/ops/stored-shop-state.ts';

export const STAGES = REPLAY_STAGES;
export type Stage = (typeof STAGES)[number];

/** How far a replay has come: all stages before this one, and this one up to a key. */
export type ReplayPosition = {
  /** Version of the normalizers that it continues with. */
  readonly version: number;
  /** It recreates the guests' customer keys. */
  readonly rekey: boolean;
  readonly stage: Stage;
  readonly after: string | undefined;
  /** Records done so far, of all stages. */
  readonly done: number;
};

export type ReplayState = {
  /** The oldest version that may have made a row of the shop. */
  readonly version: number;
  readonly position: ReplayPosition | undefined;
};

export function toReplayState(row: ShopStateRow): ReplayState {
  const { replay_version: version, replay_rekey: rekey, replay_stage: stage, replay_done: done } = row;
  const isBegun = version !== null && rekey !== null && stage !== null && done !== null;
  const position = isBegun
    ? { version, rekey, stage, after: row.replay_after ?? undefined, done }
    : undefined;
  return { version: row.normalizer_version, position };
}

/** Call it in the transaction of the batch; nothing else writes these columns. */
export async function saveReplayState(
  tx: Tx,
  shopId: number,
  { version, position }: ReplayState,
  now: Temporal.Instant,
): Promise<void> {
  const columns: ShopStateChanges = {
    normalizer_version: version,
    replay_version: position?.version ?? null,
    replay_rekey: position?.rekey ?? null,
    replay_stage: position?.stage ?? null,
    replay_after: position?.after ?? null,
    replay_done: position?.done ?? null,
  };
  await updateShopState(tx, shopId, columns, now);
}
