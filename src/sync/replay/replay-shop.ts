import { z } from 'zod';

import { NORMALIZER_VERSION } from '../../normalize/normalizer-version.ts';
import { dropDue, putDue, readDue } from '../../warehouse/ops/due.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { countRejections } from '../../warehouse/ops/rejections.ts';
import { updateShopState } from '../../warehouse/ops/stored-shop-state.ts';
import { countRaw } from '../../warehouse/raw/raw-records.ts';
import type { OpenedRun, RunContext, RunOutcome } from '../run/context.ts';
import { type RunEnd, runStoredShop } from '../run/run-shop.ts';
import { writeNormalized } from '../run/write-normalized.ts';
import { NOTHING_CHANGED, READ_BATCH, type ReplayCounts, type Stage, STAGES } from './replay-batches.ts';

/** Records of one transaction. */
const BATCH = 500;

export type ReplayRequest = {
  /** Recreate the guests' customer keys with the current secret, even if they were made with another. */
  readonly rekey?: boolean;
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

/** The progress of a replay: all stages before this one, and this one up to a key. Kept until it is finished. */
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
type Position = Readonly<z.infer<typeof POSITION>>;

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
  { rekey = false }: ReplayRequest = {},
  watch: (read: () => ReplayProgress) => void = () => undefined,
): Promise<ReplayResult> {
  const ended = await runStoredShop({ ...context, rekey }, shopId, 'replay', (run) =>
    replay(run, rekey, watch),
  );
  const { status, counts: _sent, ...replayed } = ended;
  return { shop: context.shop.shopKey, status, error: null, ...replayed };
}

async function replay(
  run: OpenedRun,
  rekey: boolean,
  watch: (read: () => ReplayProgress) => void,
): Promise<RunOutcome<Replayed>> {
  const { db, lease, now } = run.ports;
  const { shopId } = lease;
  const version = NORMALIZER_VERSION;
  const left = POSITION.safeParse((await readDue(db, shopId, 'replay'))?.data).data;
  const resumed = left?.version === version && left.rekey === rekey ? left : undefined;
  const start = resumed ?? { version, rekey, stage: STAGES[0], after: null, done: 0 };
  const { records, changes } = await replayAll(run, start, watch);
  await fenced(db, lease, async (tx) => {
    await updateShopState(tx, shopId, { normalizer_version: version }, now());
    await dropDue(tx, shopId, 'replay', ['']);
  });
  const added = run.state.counters.newRejections;
  const { open, resolved } = await countRejections(db, shopId);
  return {
    normalizer_version: version,
    resumed_from: resumed ? { stage: resumed.stage, after: resumed.after, records_done: resumed.done } : null,
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

async function replayAll(run: OpenedRun, start: Position, watch: (read: () => ReplayProgress) => void) {
  const { ports, state } = run;
  const { db, lease, signal } = ports;
  const { orders, users, user_groups: groups } = await countRaw(db, lease.shopId);
  const total = orders + users + groups;
  let at = start;
  const changes = { ...NOTHING_CHANGED };
  watch(() => ({ stage: at.stage, done: at.done, total, own: at.done - start.done }));
  for (const stage of STAGES.slice(STAGES.indexOf(start.stage))) {
    if (stage !== at.stage) at = { ...at, stage, after: null };
    for (;;) {
      signal.throwIfAborted();
      const { raw, write } = await READ_BATCH[stage](ports, at.after ?? undefined, BATCH);
      const after = raw.at(-1)?.key;
      if (after === undefined) break;
      const next = { ...at, after, done: at.done + raw.length };
      const { changed } = await writeNormalized(run, async (tx, shopId) => {
        const row = { kind: 'replay', key: '', due_at: ports.now(), since: ports.now(), data: next } as const;
        await putDue(tx, shopId, [{ ...row, attempts: 0, reason: null }]);
        return write(tx);
      });
      for (const name of NAMES) changes[name] += changed[name] ?? 0;
      at = next;
      if (stage === 'orders') state.counters.orders_seen += raw.length;
      state.counters.orders_new = changes.orders_added;
      state.counters.orders_changed = changes.orders_changed;
    }
  }
  return { records: at.done - start.done, changes };
}
