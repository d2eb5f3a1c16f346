/** The state of replays: the version that made a shop's rows, and the position of an unfinished replay. */
import { isJsonObject } from '../../model/json.ts';
import type { Tx } from '../../warehouse/db/database.ts';
import { dropDue, type DueRow, putDue } from '../../warehouse/ops/due.ts';
import { type ShopStateRow, updateShopState } from '../../warehouse/ops/stored-shop-state.ts';

export const STAGES = ['orders', 'users', 'groups'] as const;
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

/** @param left the row of `ops.due` of an unfinished replay */
export function toReplayState(row: ShopStateRow, left: DueRow | undefined): ReplayState {
  return { version: row.normalizer_version, position: left && toPosition(left) };
}

function toPosition({ data }: DueRow): ReplayPosition | undefined {
  if (!isJsonObject(data)) return undefined;
  const { version, rekey, stage, after, done } = data;
  const known = STAGES.find((name) => name === stage);
  if (known === undefined) return undefined;
  return {
    version: Number(version),
    rekey: rekey === true,
    stage: known,
    after: typeof after === 'string' ? after : undefined,
    done: Number(done),
  };
}

/** Call it in the transaction of the batch; nothing else writes this. */
export async function saveReplayState(
  tx: Tx,
  shopId: number,
  { version, position }: ReplayState,
  now: Temporal.Instant,
): Promise<void> {
  await updateShopState(tx, shopId, { normalizer_version: version }, now);
  if (position === undefined) return dropDue(tx, shopId, 'replay', ['']);
  const data = { ...position, after: position.after ?? null };
  const row = { kind: 'replay', key: '', due_at: now, since: now, attempts: 0, reason: null, data } as const;
  await putDue(tx, shopId, [row]);
}
