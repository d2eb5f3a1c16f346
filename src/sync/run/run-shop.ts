import { DriftError, LeaseLostError, TerminalError, TransientError } from '../../errors.ts';
import type { FreshnessPolicy } from '../../plan/freshness.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { RequestCounts } from '../../shop-api/shop-http.ts';
import { databaseSentence, isDatabaseError } from '../../warehouse/db/database-error.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { finishRun, type RunCounts, type RunKind, startRun, updateRun } from '../../warehouse/ops/runs.ts';
import { registerShop } from '../../warehouse/directory/registered-shops.ts';
import { acquireLease } from './acquire-lease.ts';
import { emptyTally, type Logger, type ShopSettings, type SweepDeps, type Tally } from './context.ts';
import { startHeartbeat } from './heartbeat.ts';
import { keepSummaries } from './summary-refresher.ts';
import { notePoliteness, politenessNow } from './throttle-state.ts';
import { withMemory } from './run-state.ts';
import { assertSameShop } from './same-shop.ts';

/** What a run over one shop is given. */
export type ShopContext = {
  readonly api: ShopApi;
  readonly db: Db;
  readonly shop: ShopSettings;
  readonly logger: Logger;
  readonly now: () => Temporal.Instant;
  /** Aborted when the process is asked to stop; with a TransientError, when the run is to end as failed. */
  readonly signal: AbortSignal;
  /** Version of the program, kept with the run. */
  readonly version: string;
  /** How long to wait for another process that holds the shop. @default 0 */
  readonly leaseWaitMs?: number;
  /** The guests' customer keys are to be made anew. @default false */
  readonly rekey?: boolean;
};

/** What a run works with: all of a sweep's means, and what is remembered of the shop. */
export type RunDeps = SweepDeps & {
  /** Until when the shop asked to be left alone; kept from run to run. */
  readonly absence: { until: Temporal.Instant | undefined };
  /** The policy by which days were taken, told by who took them; kept for the views. */
  readonly sweptBy: { freshness: FreshnessPolicy | undefined };
};

export type RunOutcome<Result> = Result & {
  readonly status: 'ok' | 'partial';
  /** Why it is partial: a sentence for each cause. */
  readonly shortfalls: readonly string[];
};

/**
 * Brackets work on one shop: takes the shop's lease and keeps it, keeps the run in the books whatever its end, and
 * remembers what was learned of the API and how it was treated.
 *
 * @throws TerminalError when another process holds the shop; otherwise what ended the work early
 */
export async function runShop<Result>(
  context: ShopContext,
  kind: RunKind,
  work: (deps: RunDeps) => Promise<RunOutcome<Result>>,
): Promise<RunOutcome<Result> & { readonly counts: RunCounts; readonly health: ShopApi['health'] }> {
  const { api, db, shop } = context;
  await assertSameShop(context);
  const shopId = await registerShop(db, shop);
  const lease = await acquireLease(context, shopId);
  const tally = emptyTally();
  const before = { ...api.counts };
  const counts = () => runCounts(api.counts, before, tally);
  const running: { runId?: bigint } = {};
  const absence: RunDeps['absence'] = { until: undefined };
  // Opened before the lease is kept, and so closed after it was handed back.
  await using _summaries = keepSummaries(db, context.logger, context.signal);
  await using heartbeat = startHeartbeat(db, lease, context.signal, async () => {
    if (running.runId === undefined) return;
    await updateRun(db, running.runId, counts());
    const politeness = politenessNow(api.health, absence.until);
    await fenced(db, lease, (tx) => notePoliteness(tx, shopId, politeness, context.now()));
  });
  const runId = await fenced(db, lease, (tx) => startRun(tx, shopId, kind, context.version));
  running.runId = runId;
  const ended = new AbortController();
  try {
    const signal = AbortSignal.any([context.signal, heartbeat.signal, ended.signal]);
    const outcome = await withMemory({ ...context, signal, lease, tally, absence }, work);
    await finishRun(db, runId, outcome.status, counts(), outcome.shortfalls[0]);
    return { ...outcome, counts: counts(), health: { ...api.health } };
  } catch (error) {
    const reason = heartbeat.signal.aborted ? heartbeat.signal.reason : error;
    // What is still under way has nobody who waits for it, and soon no lease.
    ended.abort(reason);
    const wasInterrupted = context.signal.aborted && !(context.signal.reason instanceof TransientError);
    const status = wasInterrupted ? 'interrupted' : 'failed';
    const sentence = wasInterrupted ? 'asked to stop' : sentenceOf(reason);
    // The database may be the cause: then the run stays open, and the next one closes it as abandoned.
    await finishRun(db, runId, status, counts(), sentence).catch(() => undefined);
    throw reason;
  }
}

/** The figures of one run: a client may have served others before it. */
function runCounts(now: RequestCounts, before: RequestCounts, tally: Tally): RunCounts {
  const { newRejections: _new, usersDone: _users, shortfalls: _shortfalls, ...rest } = tally;
  const { windowsProven: _proven, windowsUnproven: _unproven, ...figures } = rest;
  const requests = (routes: readonly (keyof RequestCounts)[]) =>
    routes.reduce((sum, route) => sum + now[route] - before[route], 0);
  return {
    ...figures,
    requests: requests(['orders', 'content', 'user', 'groups']),
    list_requests: requests(['orders']),
    content_requests: requests(['content']),
    user_requests: requests(['user']),
    retries: requests(['retries']),
  };
}

/** Only our own errors have messages that are fit to be kept. */
function sentenceOf(error: unknown): string {
  const kinds = [TerminalError, TransientError, DriftError, LeaseLostError];
  if (!(error instanceof Error)) return 'unknown error';
  if (kinds.some((kind) => error instanceof kind)) return error.message;
  return isDatabaseError(error) ? `the database: ${databaseSentence(error)}` : error.name;
}
