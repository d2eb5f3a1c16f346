import { DriftError, LeaseLostError, TerminalError, TransientError } from '../errors.ts';
import type { ShopApi } from '../shop-api/client.ts';
import type { RequestCounts } from '../shop-api/http.ts';
import { readKnownCodes } from '../warehouse/codes.ts';
import type { Db } from '../warehouse/database.ts';
import { type Lease, takeLease } from '../warehouse/lease.ts';
import { finishRun, type RunCounts, type RunKind, startRun, updateRun } from '../warehouse/runs.ts';
import { registerShop } from '../warehouse/shops.ts';
import { type ApiMemory, recall, remember } from './api-memory.ts';
import { emptyTally, type Logger, type ShopSettings, type SweepDeps, type Tally } from './deps.ts';
import { LEASE_TTL_MS, startHeartbeat } from './heartbeat.ts';
import { findHistoryStart, hasOrdersBefore } from './history-start.ts';
import { assertSameShop } from './same-shop.ts';
import { holderName, isDeadHolder } from './holder.ts';

/** What a run over one shop is given. */
export type ShopContext = {
  readonly api: ShopApi;
  readonly db: Db;
  readonly shop: ShopSettings;
  readonly logger: Logger;
  readonly now: () => Temporal.Instant;
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Version of the program, kept with the run. */
  readonly version: string;
};

/** What a run works with: all of a sweep's means, and what is remembered of the shop's history. */
export type RunDeps = SweepDeps & { readonly history: { from: Temporal.PlainDate | undefined } };

export type RunOutcome<Result> = Result & {
  readonly status: 'ok' | 'partial';
  /** Why it is partial: a sentence for each cause. */
  readonly shortfalls: readonly string[];
};

/**
 * Brackets work on one shop: takes the shop's lease and keeps it, keeps the run in the books whatever its end, and
 * remembers what was learned of the API.
 *
 * @throws TerminalError when another process holds the shop; otherwise what ended the work early
 */
export async function runShop<Result>(
  context: ShopContext,
  kind: RunKind,
  work: (deps: RunDeps) => Promise<RunOutcome<Result>>,
): Promise<RunOutcome<Result> & { readonly counts: RunCounts }> {
  const { api, db, shop } = context;
  await assertSameShop(context);
  const shopId = await registerShop(db, shop);
  const lease = await requireLease(db, shopId, shop.shopKey);
  const tally = emptyTally();
  const before = { ...api.counts };
  const counts = () => runCounts(api.counts, before, tally);
  const running: { runId?: bigint } = {};
  await using heartbeat = startHeartbeat(db, lease, async () => {
    if (running.runId !== undefined) await updateRun(db, running.runId, counts());
  });
  const runId = await startRun(db, shopId, kind, context.version);
  running.runId = runId;
  try {
    const signal = AbortSignal.any([context.signal, heartbeat.signal]);
    const outcome = await withMemory({ ...context, signal, lease, tally }, work);
    await finishRun(db, runId, outcome.status, counts(), outcome.shortfalls[0]);
    return { ...outcome, counts: counts() };
  } catch (error) {
    const reason = heartbeat.signal.aborted ? heartbeat.signal.reason : error;
    const wasInterrupted = context.signal.aborted;
    const status = wasInterrupted ? 'interrupted' : 'failed';
    const sentence = wasInterrupted ? 'asked to stop' : sentenceOf(reason);
    // The database may be the cause: then the run stays open, and the next one closes it as abandoned.
    await finishRun(db, runId, status, counts(), sentence).catch(() => undefined);
    throw reason;
  }
}

/** The first day that holds orders: as configured, as remembered, or looked for now. */
export async function historyStart(deps: RunDeps): Promise<Temporal.PlainDate> {
  const known = deps.shop.historyFrom ?? deps.history.from;
  if (known !== undefined) return known;
  const start = await findHistoryStart(deps, today(deps));
  noteStart(deps, start);
  return start;
}

/**
 * Looks again for the first day that holds orders, since an order may have been moved or entered before it.
 *
 * @param from the first day as it is known
 */
export async function earlierStart(deps: RunDeps, from: Temporal.PlainDate): Promise<Temporal.PlainDate> {
  if (deps.shop.historyFrom !== undefined || !(await hasOrdersBefore(deps, from))) return from;
  const start = await findHistoryStart(deps, from.subtract({ days: 1 }));
  noteStart(deps, start);
  return start;
}

function noteStart(deps: RunDeps, start: Temporal.PlainDate): void {
  deps.history.from = start;
  deps.logger.info({ shop: deps.shop.shopKey, from: start.toString() }, 'history start found');
}

/** The shop's own day at this moment. */
export function today({ now, shop }: Pick<SweepDeps, 'now' | 'shop'>): Temporal.PlainDate {
  return now().toZonedDateTimeISO(shop.timezone).toPlainDate();
}

/** The figures of one run: a client may have served others before it. */
function runCounts(now: RequestCounts, before: RequestCounts, tally: Tally): RunCounts {
  const { newRejections: _new, usersDone: _users, shortfalls: _shortfalls, ...figures } = tally;
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

async function requireLease(db: Db, shopId: number, shopKey: string): Promise<Lease> {
  const answer = await takeLease(db, shopId, holderName(), LEASE_TTL_MS, isDeadHolder);
  if (answer.kind === 'taken') return answer.lease;
  const until = answer.expiresAt.round('second').toString();
  throw new TerminalError(
    `shop ${shopKey} is being synced by ${answer.holder}; wait for it to end, or, if it died, until its lease expires at ${until}`,
  );
}

async function withMemory<Result>(
  context: ShopContext & Pick<SweepDeps, 'lease' | 'tally'>,
  work: (deps: RunDeps) => Promise<Result>,
): Promise<Result> {
  const { db, lease, shop } = context;
  const memory = await recall(db, lease.shopId, shop.pageLimit);
  const codes = await readKnownCodes(db, lease.shopId);
  const deps: RunDeps = {
    ...context,
    book: { profile: memory.paging },
    history: { from: memory.historyFrom },
    doubted: new Map(memory.doubted),
    days: { changed: new Set(), doubtful: new Set() },
    acceptsMissing: false,
    knownCodes: { statuses: new Set(codes.statuses), payStatuses: new Set(codes.payStatuses) },
  };
  try {
    return await work(deps);
  } finally {
    const learned: ApiMemory = {
      paging: deps.book.profile,
      historyFrom: deps.history.from,
      doubted: deps.doubted,
    };
    // What was learned is a help, not a need: failing to keep it must not hide why the work failed.
    await remember(db, lease.shopId, learned, context.now()).catch(() => undefined);
  }
}

/** Only our own errors have messages that are fit to be kept. */
function sentenceOf(error: unknown): string {
  const kinds = [TerminalError, TransientError, DriftError, LeaseLostError];
  if (error instanceof Error) return kinds.some((kind) => error instanceof kind) ? error.message : error.name;
  return 'unknown error';
}
