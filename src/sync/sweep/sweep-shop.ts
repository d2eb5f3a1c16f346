import { UnavailableError } from '../../errors.ts';
import { pauseUntil } from '../../plan/clock-bounds.ts';
import { type DayRange, type DueDay, dueDays, type DueRange, type DueRule } from '../../plan/due-days.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { RequestCounts } from '../../shop-api/shop-http.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { announceDay, readLedger } from '../../warehouse/ops/ledger.ts';
import { resolveUnlisted } from '../../warehouse/ops/record-rejections.ts';
import type { RunCounts } from '../../warehouse/ops/runs.ts';
import { countWithoutLines } from '../../warehouse/orders/load-lines.ts';
import { auditShop } from './audit/audit-shop.ts';
import { isAuditDue } from './audit/is-audit-due.ts';
import { heldClockWarning } from './clock-warning.ts';
import type { Needs, Ports, Progress, RunOutcome, ShopContext, Sweep } from '../run/context.ts';
import { readOpenDays } from './open-days.ts';
import { watchPatience } from './outage-timeout.ts';
import { utcText } from '../run/throttle-state.ts';
import { runShop } from '../run/run-shop.ts';
import { beginSweep } from './sweep-state.ts';
import { assertNotFuture, today } from '../run/shop-day.ts';
import { sweepGroups } from './directory/sweep-groups.ts';
import { sweepLines } from './orders/sweep-lines.ts';
import { sweepOrders } from './orders/sweep-orders.ts';
import { sweepUsers } from './directory/sweep-users.ts';

/**
 * A sync that comes every five minutes, give or take a moment, would find days due every five minutes just not due yet
 * each second time.
 */
const AHEAD_MS = 30_000;

export type SweepRequest = {
  readonly kind: 'sync' | 'backfill';
  /** First and last day; the shop's history, and today, when undefined. */
  readonly from?: Temporal.PlainDate | undefined;
  readonly to?: Temporal.PlainDate | undefined;
  /** Verify every day of the range again, whenever it was verified last. */
  readonly force?: boolean;
  /** Believe the shop even where more orders vanished at once than looks right. */
  readonly acceptMissing?: boolean;
  /** Read the list without dates as well, whenever it was read last. */
  readonly audit?: boolean;
  /** No new window is begun after this. */
  readonly budgetMs?: number | undefined;
};

type Swept = {
  /** Days that were verified, and those that are still due, whether they were before or could not be verified now. */
  readonly daysDue: number;
  /** One of those that are still due stands for all that lies before it: the shop's first order is not reached yet. */
  readonly isBeginningDue: boolean;
  readonly newRejections: number;
  /** Orders of which the lines are not in, now or since earlier sweeps; they are asked for again by and by. */
  readonly ordersWithoutLines: number;
  readonly range: DayRange;
  /** Windows that were read whole, and those that moved while they were read. */
  readonly windows: { readonly proven: number; readonly unproven: number };
  /** What is wrong without making the sweep partial: a sentence each. */
  readonly warnings: readonly string[];
};

export type SweepResult = RunOutcome<Swept> & {
  readonly counts: RunCounts;
  /** How the shop was treated in the end. */
  readonly health: ShopApi['health'];
};

/**
 * One sweep of one shop: verifies the due days newest first, then sees to buyers and groups. Where the shop asks to come
 * back later, the sweep ends early as partial, and until then others end at once.
 *
 * @param watch given a function that tells at any time how far the sweep has come
 * @throws TerminalError when another process holds the shop; otherwise what ended the sweep early
 */
export async function sweepShop(
  context: ShopContext,
  request: SweepRequest,
  watch: (read: () => Progress) => void = () => undefined,
): Promise<SweepResult> {
  const acceptsMissing = request.acceptMissing === true;
  const ended = await runShop(context, request.kind, (run) =>
    sweepRun(beginSweep(run, acceptsMissing), request, watch),
  );
  return { ...ended, health: { ...context.api.health } };
}

async function sweepRun(
  sweep: Sweep,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
): Promise<RunOutcome<Swept>> {
  const { ports, state } = sweep;
  const { db, lease, now } = ports;
  const { counters } = state;
  state.freshness = ports.shop.freshness;
  const range = rangeOf(ports, request);
  const due = await readDue(ports, request, range);
  const isFinished = await sweepUnlessPaused(sweep, request, watch, due);
  const problems = [...new Set(state.problems)];
  const { open, isBeginningDue, first } = await readOpenDays(sweep, due, range);
  const isWhole = isFinished && open === 0 && problems.length === 0 && counters.newRejections === 0;
  const windows = { proven: counters.windowsProven, unproven: counters.windowsUnproven };
  // Whatever single records could not be read: the run, rejections and the states of lines and users say that.
  if (isFinished && open === 0 && windows.unproven === 0 && state.pausedUntil === undefined) {
    await resolveUnlisted(db, lease);
    state.completedAt = now();
  }
  const swept = {
    range: { from: range.from ?? first ?? range.to, to: range.to },
    daysDue: counters.days_verified + open,
    isBeginningDue,
    windows,
    newRejections: counters.newRejections,
    warnings: await clockWarnings(ports),
    ordersWithoutLines: await countWithoutLines(db, lease.shopId),
  };
  return { ...swept, status: isWhole ? 'ok' : 'partial', problems };
}

/** @returns whether all due days were asked for, within the time budget and before the shop requested a pause */
async function sweepUnlessPaused(
  sweep: Sweep,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
  due: readonly DueDay[],
): Promise<boolean> {
  const { state, ports } = sweep;
  const { pausedUntil } = state;
  if (pausedUntil !== undefined && Temporal.Instant.compare(ports.now(), pausedUntil) < 0) {
    state.problems.push(`the shop asked to be left alone for now; come back at ${utcText(pausedUntil)}`);
    return false;
  }
  state.pausedUntil = undefined;
  try {
    return await sweepDue(sweep, request, watch, due);
  } catch (error) {
    if (!(error instanceof UnavailableError) || error.retryAfterMs === undefined) throw error;
    state.pausedUntil = pauseUntil(ports.now(), error.retryAfterMs);
    // The first one is kept with the run.
    state.problems.unshift(`${error.message}; come back at ${utcText(state.pausedUntil)}`);
    return false;
  }
}

async function clockWarnings({ db, lease, logger, now, shop }: Ports): Promise<readonly string[]> {
  const warning = await heldClockWarning(db, lease.shopId, shop.timezone, now());
  if (warning === undefined) return [];
  logger.warn({ shop: shop.shopKey, warning }, 'zone or clock in doubt');
  return [warning];
}

/** @returns whether all due days were asked for, within the time budget */
async function sweepDue(
  given: Sweep,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
  due: readonly DueDay[],
): Promise<boolean> {
  const { api, now } = given.ports;
  const began = now();
  const budgetMs = request.budgetMs ?? Number.POSITIVE_INFINITY;
  const mayAsk = () => now().since(began).total('milliseconds') < budgetMs;
  using patience = watchPatience(api, () => !mayAsk());
  const sweep = withSignal(given, patience.signal);
  // Where what lies before the oldest day was never read, how much it is shows at its end.
  const isAllKnown = due.every(({ since, expected }) => since !== undefined || expected !== undefined);
  const progress = { phase: 'orders' as Progress['phase'], daysTotal: isAllKnown ? due.length : undefined };
  const before = { ...api.counts };
  watch(() => progressOf(sweep, before, progress));
  const orders = sweepAllOrders(sweep, request, due, mayAsk);
  const ended = new AbortController();
  void orders.then(
    () => (progress.phase = 'users'),
    (error: unknown) => ended.abort(error),
  );
  // What ends the orders ends all; what ends the others is told when the orders are in.
  const side = withSignal(sweep, ended.signal);
  const sides = [sweepUsers(side, mayAsk, orders), sweepGroups(side, mayAsk)];
  await Promise.allSettled([orders, ...sides]);
  const isFinished = await orders;
  await Promise.all(sides);
  return isFinished;
}

function withSignal({ ports, state }: Sweep, signal: AbortSignal): Sweep {
  return { ports: { ...ports, signal: AbortSignal.any([ports.signal, signal]) }, state };
}

/** @returns whether all due days were asked for, within the time budget */
async function sweepAllOrders(
  sweep: Sweep,
  request: SweepRequest,
  due: readonly DueDay[],
  mayAsk: () => boolean,
): Promise<boolean> {
  const isFinished = await sweepOrders(sweep, due, mayAsk);
  const isAll = request.from === undefined && request.to === undefined;
  const mayBeDue = isAll && isFinished && mayAsk();
  const isDue = request.audit === true || (mayBeDue && (await isAuditDue(sweep)));
  if (isDue && mayAsk()) await auditShop(sweep, mayAsk);
  await sweepLines(sweep, mayAsk);
  return isFinished;
}

function rangeOf(ports: Pick<Ports, 'now' | 'shop'>, { from, to }: SweepRequest): DueRange {
  const last = today(ports);
  if (from !== undefined) assertNotFuture(ports, from);
  const isEarlier = to !== undefined && Temporal.PlainDate.compare(to, last) < 0;
  return { from: from ?? ports.shop.historyFrom, to: isEarlier ? to : last };
}

async function readDue(
  { db, lease, now, shop }: Pick<Ports, 'db' | 'lease' | 'now' | 'shop'>,
  request: SweepRequest,
  range: DueRange,
): Promise<readonly DueDay[]> {
  const began = now();
  const ledger = await readLedger(db, lease.shopId);
  // What is still to come shows in the ledger before it is asked for.
  if (!ledger.some(({ day }) => day.equals(range.to))) {
    await fenced(db, lease, (tx) => announceDay(tx, lease.shopId, range.to));
  }
  const rule: DueRule = request.force
    ? { by: 'force', notSince: began }
    : { by: 'policy', policy: shop.freshness, aheadMs: request.kind === 'sync' ? AHEAD_MS : 0 };
  return dueDays(ledger, range, rule, began, shop.timezone);
}

function progressOf(
  { ports: { api }, state: { counters } }: Needs<'api', 'counters'>,
  before: RequestCounts,
  at: Pick<Progress, 'phase' | 'daysTotal'>,
): Progress {
  const sent = ({ orders, content, user, groups }: RequestCounts) => orders + content + user + groups;
  const requests = sent(api.counts) - sent(before);
  return {
    ...at,
    daysDone: counters.days_verified,
    orders: counters.orders_seen,
    users: counters.usersDone,
    requests,
  };
}
