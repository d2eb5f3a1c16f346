import { fenced } from '../../warehouse/ops/lease.ts';
import { countOpenRejections, countResolvedInRun } from '../../warehouse/ops/list-rejections.ts';
import { countRaw } from '../../warehouse/ops/raw-records.ts';
import { recordRejections } from '../../warehouse/ops/record-rejections.ts';
import type { RunCounts } from '../../warehouse/ops/runs.ts';
import {
  type Batch,
  type Normalizers,
  NORMALIZERS,
  NOTHING_CHANGED,
  READ_BATCH,
  type ReplayCounts,
} from './replay-batches.ts';
import {
  readReplayState,
  type ReplayPosition,
  type ReplayState,
  saveReplayState,
  type Stage,
  STAGES,
} from '../run/replay-state.ts';
import { type RunDeps, type RunOutcome, runShop, type ShopContext } from '../run/run-shop.ts';

/** Records of one transaction. */
const BATCH = 500;

export type ReplayRequest = {
  /** Make the guests' customer keys with the present secret, though they were made with another. */
  readonly rekey?: boolean;
  /** @default those of this program */
  readonly normalizers?: Normalizers;
};

/** How far a replay has come. */
export type ReplayProgress = {
  readonly stage: Stage;
  /** Records of all stages that are done, those of an earlier process included, and that there are. */
  readonly done: number;
  readonly total: number;
  /** Records that this process has done. */
  readonly own: number;
};

type Replayed = {
  readonly version: number;
  /** Where an earlier process had stopped. */
  readonly resumedFrom: ReplayPosition | undefined;
  /** Records that this process went through. */
  readonly records: number;
  readonly changes: ReplayCounts;
  readonly rejections: { readonly added: number; readonly resolved: number; readonly open: number };
};

export type ReplayResult = RunOutcome<Replayed> & { readonly counts: RunCounts };

/**
 * Normalizes all that is kept of a shop again, without asking the shop, and stores the version that this makes the
 * shop's rows be of. One that ends early is resumed by the next one of the same version.
 *
 * @param watch given a function that tells at any time how far it has come
 * @throws TerminalError when another process holds the shop, or the secret of the customer keys is another one
 */
export async function replayShop(
  context: ShopContext,
  request: ReplayRequest = {},
  watch: (read: () => ReplayProgress) => void = () => undefined,
): Promise<ReplayResult> {
  return runShop({ ...context, rekey: request.rekey === true }, 'replay', (deps) =>
    replay(deps, request, watch),
  );
}

async function replay(
  deps: RunDeps,
  { rekey = false, normalizers = NORMALIZERS }: ReplayRequest,
  watch: (read: () => ReplayProgress) => void,
): Promise<RunOutcome<Replayed>> {
  const { db, lease, tally } = deps;
  const { version } = normalizers;
  const state = await readReplayState(db, lease.shopId);
  const left = state.position;
  const resumedFrom = left?.version === version && left.rekey === rekey ? left : undefined;
  const start = resumedFrom ?? { version, rekey, stage: STAGES[0], after: undefined, done: 0 };
  const { records, changes } = await replayAll(deps, normalizers, { ...state, position: start }, watch);
  await fenced(db, lease, (tx) =>
    saveReplayState(tx, lease.shopId, { version, position: undefined }, deps.now()),
  );
  const added = tally.newRejections;
  const resolved = await countResolvedInRun(db, lease.shopId);
  const open = await countOpenRejections(db, lease.shopId);
  return {
    version,
    resumedFrom,
    records,
    changes,
    rejections: { added, resolved, open },
    status: added === 0 ? 'ok' : 'partial',
    shortfalls: added === 0 ? [] : ['new rejections came up'],
  };
}

type Started = ReplayState & { readonly position: ReplayPosition };

/** Batch by batch from a position to the end of all stages. */
async function replayAll(
  deps: RunDeps,
  normalizers: Normalizers,
  started: Started,
  watch: (read: () => ReplayProgress) => void,
): Promise<Pick<Replayed, 'records' | 'changes'>> {
  const { position: start } = started;
  const { orders, users, user_groups: groups } = await countRaw(deps.db, deps.lease.shopId);
  const total = orders + users + groups;
  let at = start;
  let changes = NOTHING_CHANGED;
  watch(() => ({ stage: at.stage, done: at.done, total, own: at.done - start.done }));
  for (const stage of STAGES.slice(STAGES.indexOf(start.stage))) {
    if (stage !== at.stage) at = { ...at, stage, after: undefined };
    for (;;) {
      deps.signal.throwIfAborted();
      const batch = await READ_BATCH[stage](deps, normalizers, at.after, BATCH);
      if (batch.last === undefined) break;
      const next = { ...at, after: batch.last, done: at.done + batch.records };
      changes = sumOf(changes, await writeBatch(deps, batch, { ...started, position: next }));
      at = next;
    }
  }
  return { records: at.done - start.done, changes };
}

async function writeBatch(deps: RunDeps, batch: Batch, state: Started): Promise<Partial<ReplayCounts>> {
  const { db, lease, tally } = deps;
  const { changes, fresh } = await fenced(db, lease, async (tx) => {
    const changes = await batch.write(tx);
    const fresh = await recordRejections(tx, lease.shopId, batch.normalized, batch.rejections);
    await saveReplayState(tx, lease.shopId, state, deps.now());
    return { changes, fresh };
  });
  tally.newRejections += fresh;
  tally.rejections += batch.rejections.length;
  if (state.position.stage === 'orders') tally.orders_seen += batch.records;
  tally.orders_new += changes.orders_added ?? 0;
  tally.orders_changed += changes.orders_changed ?? 0;
  return changes;
}

function sumOf(one: ReplayCounts, other: Partial<ReplayCounts>): ReplayCounts {
  return {
    orders_added: one.orders_added + (other.orders_added ?? 0),
    orders_changed: one.orders_changed + (other.orders_changed ?? 0),
    lines_changed: one.lines_changed + (other.lines_changed ?? 0),
    users_changed: one.users_changed + (other.users_changed ?? 0),
    groups_changed: one.groups_changed + (other.groups_changed ?? 0),
  };
}
