import { LeaseLostError, TerminalError } from '../errors.ts';
import { type DayRange, type DueDay, dueDays, type DueRule } from '../plan/due-days.ts';
import type { ShopApi } from '../shop-api/client.ts';
import { readKnownCodes } from '../warehouse/codes.ts';
import type { Db } from '../warehouse/database.ts';
import { type Lease, takeLease } from '../warehouse/lease.ts';
import { readLedger } from '../warehouse/ledger.ts';
import { finishRun, type RunCounts, startRun, updateRun } from '../warehouse/runs.ts';
import { registerShop } from '../warehouse/shops.ts';
import { recall, remember } from './api-memory.ts';
import { emptyTally, type Logger, type Progress, type ShopSettings, type SweepDeps } from './deps.ts';
import { LEASE_TTL_MS, startHeartbeat } from './heartbeat.ts';
import { findHistoryStart } from './history-start.ts';
import { holderName, isDeadHolder } from './holder.ts';
import { sweepGroups } from './sweep-groups.ts';
import { sweepOrders } from './sweep-orders.ts';
import { sweepUsers } from './sweep-users.ts';

/** What a sweep of one shop is given. */
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

export type SweepRequest = {
  readonly kind: 'sync' | 'backfill';
  /** First and last day; the shop's history, and today, when undefined. */
  readonly from?: Temporal.PlainDate | undefined;
  readonly to?: Temporal.PlainDate | undefined;
  /** Verify every day of the range again, whenever it was verified last. */
  readonly force?: boolean;
  /** No new window is begun after this. */
  readonly budgetMs?: number | undefined;
};

export type SweepResult = {
  readonly status: 'ok' | 'partial';
  readonly counts: RunCounts;
  readonly daysDue: number;
  /** Why it is partial: a sentence for each cause. */
  readonly shortfalls: readonly string[];
  readonly newRejections: number;
  readonly range: DayRange;
};

/**
 * One sweep of one shop: takes its lease, verifies the due days newest first, then sees to buyers and groups, and keeps
 * the run in the books whatever its end.
 *
 * @param watch given a function that tells at any time how far the sweep has come
 * @throws TerminalError when another process holds the shop; what ended the sweep early otherwise
 */
export async function sweepShop(
  context: ShopContext,
  request: SweepRequest,
  watch: (read: () => Progress) => void = () => undefined,
): Promise<SweepResult> {
  const { db, shop } = context;
  const shopId = await registerShop(db, shop);
  const lease = await requireLease(db, shopId, shop.shopKey);
  const tally = emptyTally();
  const counts = (): RunCounts => runCounts(context.api, tally);
  const state = { runId: undefined as bigint | undefined };
  await using heartbeat = startHeartbeat(db, lease, async () => {
    if (state.runId !== undefined) await updateRun(db, state.runId, counts());
  });
  const runId = await startRun(db, shopId, request.kind, context.version);
  state.runId = runId;
  try {
    const signal = AbortSignal.any([context.signal, heartbeat.signal]);
    const result = await sweep({ ...context, signal, lease, tally }, request, watch);
    await finishRun(db, runId, result.status, counts(), result.shortfalls[0]);
    return { ...result, counts: counts() };
  } catch (error) {
    const reason = heartbeat.signal.aborted ? heartbeat.signal.reason : error;
    const status = context.signal.aborted ? 'interrupted' : 'failed';
    // The database may be the cause: then the run stays open, and the next one closes it as abandoned.
    await finishRun(db, runId, status, counts(), sentenceOf(reason)).catch(() => undefined);
    throw reason;
  }
}

async function requireLease(db: Db, shopId: number, shopKey: string): Promise<Lease> {
  const answer = await takeLease(db, shopId, holderName(), LEASE_TTL_MS, isDeadHolder);
  if (answer.kind === 'taken') return answer.lease;
  const until = answer.expiresAt.round('second').toString();
  throw new TerminalError(
    `shop ${shopKey} is being synced by ${answer.holder}; wait for it to end, or, if it died, until its lease expires at ${until}`,
  );
}

type SweepContext = ShopContext & Pick<SweepDeps, 'lease' | 'tally'>;

async function sweep(
  context: SweepContext,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
): Promise<Omit<SweepResult, 'counts'>> {
  const { api, db, lease, shop, tally } = context;
  const began = context.now();
  const memory = await recall(db, lease.shopId, shop.pageLimit);
  const codes = await readKnownCodes(db, lease.shopId);
  const deps: SweepDeps = {
    ...context,
    book: { profile: memory.paging },
    days: { changed: new Set(), doubtful: new Set() },
    knownCodes: { statuses: new Set(codes.statuses), payStatuses: new Set(codes.payStatuses) },
  };
  const progress = { phase: 'history' as Progress['phase'], daysTotal: 0 };
  watch(() => progressOf(api, tally, progress));
  const known = request.from ?? shop.historyFrom ?? memory.historyFrom;
  const found = known === undefined ? await findStart(deps, began) : undefined;
  const range = rangeOf(known ?? found, request.to, today(began, shop));
  const due = await readDue(deps, request, range, began);
  Object.assign(progress, { phase: 'orders', daysTotal: due.length });
  const mayAsk = () =>
    context.now().since(began).total('milliseconds') < (request.budgetMs ?? Number.POSITIVE_INFINITY);
  try {
    await sweepOrders(deps, due, mayAsk);
    progress.phase = 'users';
    await sweepUsers(deps, mayAsk);
    progress.phase = 'groups';
    await sweepGroups(deps);
  } finally {
    const learned = { paging: deps.book.profile, historyFrom: memory.historyFrom ?? found };
    await remember(db, lease.shopId, learned, context.now()).catch(() => undefined);
  }
  const isWhole =
    tally.days_verified === due.length && tally.shortfalls.length === 0 && tally.newRejections === 0;
  const shortfalls = [...new Set(tally.shortfalls)];
  const status = isWhole ? 'ok' : 'partial';
  return { status, daysDue: due.length, shortfalls, newRejections: tally.newRejections, range };
}

async function findStart(deps: SweepDeps, now: Temporal.Instant): Promise<Temporal.PlainDate> {
  const start = await findHistoryStart(deps, today(now, deps.shop));
  deps.logger.info({ shop: deps.shop.shopKey, from: start.toString() }, 'history start found');
  return start;
}

function today(now: Temporal.Instant, shop: ShopSettings): Temporal.PlainDate {
  return now.toZonedDateTimeISO(shop.timezone).toPlainDate();
}

function rangeOf(
  from: Temporal.PlainDate | undefined,
  to: Temporal.PlainDate | undefined,
  today: Temporal.PlainDate,
): DayRange {
  const last = to === undefined || Temporal.PlainDate.compare(to, today) > 0 ? today : to;
  return { from: from ?? today, to: last };
}

async function readDue(
  { db, lease, shop }: SweepDeps,
  request: SweepRequest,
  range: DayRange,
  now: Temporal.Instant,
): Promise<readonly DueDay[]> {
  const ledger = await readLedger(db, lease.shopId, range.from, range.to);
  const rule: DueRule = request.force
    ? { by: 'force', notSince: now }
    : { by: 'policy', policy: shop.freshness };
  return dueDays(ledger, range, rule, now, shop.timezone);
}

function runCounts({ counts }: ShopApi, tally: SweepDeps['tally']): RunCounts {
  const { newRejections: _new, usersDone: _users, shortfalls: _shortfalls, ...figures } = tally;
  return {
    ...figures,
    requests: counts.orders + counts.content + counts.user + counts.groups,
    list_requests: counts.orders,
    content_requests: counts.content,
    user_requests: counts.user,
    retries: counts.retries,
  };
}

function progressOf(
  api: ShopApi,
  tally: SweepDeps['tally'],
  { phase, daysTotal }: Pick<Progress, 'phase' | 'daysTotal'>,
): Progress {
  const { requests } = runCounts(api, tally);
  return {
    phase,
    daysTotal,
    daysDone: tally.days_verified,
    orders: tally.orders_seen,
    users: tally.usersDone,
    requests,
  };
}

/** Only our own errors have messages that are fit to be kept. */
function sentenceOf(error: unknown): string {
  const isOurs = error instanceof TerminalError || error instanceof LeaseLostError;
  if (isOurs || (error instanceof Error && error.name === 'TransientError')) return error.message;
  return error instanceof Error ? error.name : 'unknown error';
}
