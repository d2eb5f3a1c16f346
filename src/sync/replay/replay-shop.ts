import { fenced } from '../../warehouse/ops/lease.ts';
import { countOpenRejections, countResolvedInRun } from '../../warehouse/ops/rejections.ts';
import { countRaw } from '../../warehouse/raw/raw-records.ts';
import { type Batch, NOTHING_CHANGED, READ_BATCH, type ReplayCounts } from './replay-batches.ts';
import {
  type ReplayPosition,
  type ReplayState,
  saveReplayState,
  type Stage,
  STAGES,
} from '../run/replay-state.ts';
import type { RunContext, RunOutcome, RunPorts, RunState } from '../run/context.ts';
import { type Normalizers, NORMALIZERS } from '../run/replay-orders.ts';
import { type RunEnd, runStoredShop } from '../run/run-shop.ts';
import { writeNormalized } from '../run/write-normalized.ts';

/** Records of one transaction. */
const BATCH = 500;

export type ReplayRequest = {
  /** Recreate the guests' customer keys with the current secret, even if they were made with another. */
  readonly rekey?: boolean;
  /** @default the program's own */
  readonly normalizers?: Normalizers;
};

export type ReplayProgress = {
  readonly stage: Stage;
  /** Records done in all stages, including those of an earlier process, and all records. */
  readonly done: number;
  readonly total: number;
  /** Records done by this process. */
  readonly own: number;
};

type Replayed = ReplayCounts & {
  readonly normalizer_version: number;
  /** Where an earlier process had stopped. */
  readonly resumed_from: {
    readonly stage: Stage;
    readonly after: string | null;
    readonly records_done: number;
  } | null;
  /** Records that this process replayed. */
  readonly records: number;
  readonly rejections_new: number;
  readonly rejections_resolved: number;
  readonly rejections_open: number;
};

/** What `--json` prints of a replay. */
export type ReplayResult = Omit<RunEnd<Replayed>, 'counts'> & {
  readonly shop: string;
  readonly error: null;
};

type Replay = {
  readonly ports: RunPorts;
  readonly state: Pick<RunState, 'counters' | 'replay'>;
};

/**
 * Normalizes all stored payloads of a shop again, without requests to the shop, and then stores the version as that of
 * the shop's rows. A replay that ends early is resumed by the next one of the same version.
 *
 * @param watch receives a function that returns the current progress
 * @throws TerminalError when another process holds the shop, or the customer keys were made with another secret
 */
export async function replayShop(
  context: RunContext,
  shopId: number,
  request: ReplayRequest = {},
  watch: (read: () => ReplayProgress) => void = () => undefined,
): Promise<ReplayResult> {
  const {
    status,
    counts: _sent,
    ...replayed
  } = await runStoredShop({ ...context, rekey: request.rekey === true }, shopId, 'replay', (run) =>
    replay(run, request, watch),
  );
  return { shop: context.shop.shopKey, status, error: null, ...replayed };
}

async function replay(
  run: Replay,
  { rekey = false, normalizers = NORMALIZERS }: ReplayRequest,
  watch: (read: () => ReplayProgress) => void,
): Promise<RunOutcome<Replayed>> {
  const { ports, state } = run;
  const { db, lease, now } = ports;
  const { version } = normalizers;
  const left = state.replay.position;
  const resumedFrom = left?.version === version && left.rekey === rekey ? left : undefined;
  const start = resumedFrom ?? { version, rekey, stage: STAGES[0], after: null, done: 0 };
  const { records, changes } = await replayAll(run, normalizers, start, watch);
  const end = { version, position: undefined };
  await fenced(db, lease, (tx) => saveReplayState(tx, lease.shopId, end, now()));
  state.replay = end;
  const added = state.counters.newRejections;
  const resolved = await countResolvedInRun(db, lease.shopId);
  const open = await countOpenRejections(db, lease.shopId);
  return {
    normalizer_version: version,
    resumed_from: resumedFrom
      ? { stage: resumedFrom.stage, after: resumedFrom.after, records_done: resumedFrom.done }
      : null,
    records,
    ...changes,
    rejections_new: added,
    rejections_resolved: resolved,
    rejections_open: open,
    status: added === 0 ? 'ok' : 'partial',
    problems: added === 0 ? [] : ['the replay found new rejections'],
  };
}

const NAMES = ['orders_added', 'orders_changed', 'lines_changed', 'users_changed', 'groups_changed'] as const;

async function replayAll(
  run: Replay,
  normalizers: Normalizers,
  start: ReplayPosition,
  watch: (read: () => ReplayProgress) => void,
): Promise<{ readonly records: number; readonly changes: ReplayCounts }> {
  const { db, lease, signal } = run.ports;
  const { orders, users, user_groups: groups } = await countRaw(db, lease.shopId);
  const total = orders + users + groups;
  let at = start;
  const changes = { ...NOTHING_CHANGED };
  watch(() => ({ stage: at.stage, done: at.done, total, own: at.done - start.done }));
  for (const stage of STAGES.slice(STAGES.indexOf(start.stage))) {
    if (stage !== at.stage) at = { ...at, stage, after: null };
    for (;;) {
      signal.throwIfAborted();
      const batch = await READ_BATCH[stage](run.ports, normalizers, at.after ?? undefined, BATCH);
      if (batch.last === undefined) break;
      const next = { ...at, after: batch.last, done: at.done + batch.records };
      const changed = await writeBatch(run, batch, next);
      for (const name of NAMES) changes[name] += changed[name] ?? 0;
      at = next;
    }
  }
  return { records: at.done - start.done, changes };
}

async function writeBatch(
  run: Replay,
  batch: Batch,
  position: ReplayPosition,
): Promise<Partial<ReplayCounts>> {
  const { ports, state } = run;
  const { counters } = state;
  const replay: ReplayState = { ...state.replay, position };
  const changes = await writeNormalized(run, batch.normalized, batch.rejections, async (tx, shopId) => {
    await saveReplayState(tx, shopId, replay, ports.now());
    return batch.write(tx);
  });
  state.replay = replay;
  if (position.stage === 'orders') counters.orders_seen += batch.records;
  counters.orders_new += changes.orders_added ?? 0;
  counters.orders_changed += changes.orders_changed ?? 0;
  return changes;
}
