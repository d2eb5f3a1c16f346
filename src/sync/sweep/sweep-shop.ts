import { UnavailableError } from '../../errors.ts';
import { pauseUntil } from '../../plan/clock-bounds.ts';
import { type DayRange, type DueDay, dueDays, type DueRange, type DueRule } from '../../plan/due-days.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { RequestCounts } from '../../shop-api/shop-http.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { announceDay, readFirstDay, readLedger } from '../../warehouse/ops/ledger.ts';
import { resolveUnlisted } from '../../warehouse/ops/record-rejections.ts';
import type { RunCounts } from '../../warehouse/ops/runs.ts';
import { countWithoutLines } from '../../warehouse/orders/load-lines.ts';
import { auditShop } from './audit/audit-shop.ts';
import { isAuditDue } from './audit/is-audit-due.ts';
import { heldClockWarning } from './clock-warning.ts';
import { noteComplete } from '../run/completion.ts';
import type { Progress } from '../run/context.ts';
import { readOpenDays } from './open-days.ts';
import { watchPatience } from './outage-timeout.ts';
import { utcText } from '../run/throttle-state.ts';
import { type RunDeps, type RunOutcome, runShop, type ShopContext } from '../run/run-shop.ts';
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
  return runShop(context, request.kind, (deps) => sweep({ ...deps, acceptsMissing }, request, watch));
}

async function sweep(
  deps: RunDeps,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
): Promise<RunOutcome<Swept>> {
  const { absence, db, lease, now, shop, sweptBy, tally } = deps;
  const began = now();
  sweptBy.freshness = shop.freshness;
  const range = rangeOf(deps, request);
  const due = await readDue(deps, request, range, began);
  let isFinished = false;
  if (absence.until !== undefined && Temporal.Instant.compare(began, absence.until) < 0) {
    tally.shortfalls.push(`the shop asked to be left alone for now; come back at ${utcText(absence.until)}`);
  } else {
    absence.until = undefined;
    try {
      isFinished = await sweepDue(deps, request, watch, due);
    } catch (error) {
      if (!(error instanceof UnavailableError) || error.retryAfterMs === undefined) throw error;
      absence.until = pauseUntil(now(), error.retryAfterMs);
      // The first one stands in the books.
      tally.shortfalls.unshift(`${error.message}; come back at ${utcText(absence.until)}`);
    }
  }
  const shortfalls = [...new Set(tally.shortfalls)];
  const { open, isBeginningDue } = await readOpenDays(deps, due, range);
  const isWhole = isFinished && open === 0 && shortfalls.length === 0 && tally.newRejections === 0;
  const windows = { proven: tally.windowsProven, unproven: tally.windowsUnproven };
  const isComplete = isFinished && open === 0 && tally.windowsUnproven === 0 && absence.until === undefined;
  if (isComplete) {
    await fenced(db, lease, async (tx) => {
      await noteComplete(tx, lease.shopId, now());
      await resolveUnlisted(tx, lease.shopId);
    });
  }
  const first = range.from ?? (await readFirstDay(db, lease.shopId)) ?? range.to;
  const swept = {
    range: { from: first, to: range.to },
    daysDue: tally.days_verified + open,
    isBeginningDue,
    windows,
    newRejections: tally.newRejections,
    warnings: await clockWarnings(deps),
    ordersWithoutLines: await countWithoutLines(db, lease.shopId),
  };
  return { ...swept, status: isWhole ? 'ok' : 'partial', shortfalls };
}

async function clockWarnings({ db, lease, logger, now, shop }: RunDeps): Promise<readonly string[]> {
  const warning = await heldClockWarning(db, lease.shopId, shop.timezone, now());
  if (warning === undefined) return [];
  logger.warn({ shop: shop.shopKey, warning }, 'zone or clock in doubt');
  return [warning];
}

/** @returns whether all due days were asked for, within the time budget */
async function sweepDue(
  given: RunDeps,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
  due: readonly DueDay[],
): Promise<boolean> {
  const began = given.now();
  const budgetMs = request.budgetMs ?? Number.POSITIVE_INFINITY;
  const mayAsk = () => given.now().since(began).total('milliseconds') < budgetMs;
  using patience = watchPatience(given.api, () => !mayAsk());
  const deps = { ...given, signal: AbortSignal.any([given.signal, patience.signal]) };
  // Where what lies before the oldest day was never read, how much it is shows at its end.
  const isAllKnown = due.every(({ since, expected }) => since !== undefined || expected !== undefined);
  const progress = { phase: 'orders' as Progress['phase'], daysTotal: isAllKnown ? due.length : undefined };
  const before = { ...deps.api.counts };
  watch(() => progressOf(deps, before, progress));
  const orders = sweepAllOrders(deps, request, due, mayAsk);
  const ended = new AbortController();
  void orders.then(
    () => (progress.phase = 'users'),
    (error: unknown) => ended.abort(error),
  );
  // What ends the orders ends all; what ends the others is told when the orders are in.
  const sideDeps = { ...deps, signal: AbortSignal.any([deps.signal, ended.signal]) };
  const sides = [sweepUsers(sideDeps, mayAsk, orders), sweepGroups(sideDeps, mayAsk)];
  await Promise.allSettled([orders, ...sides]);
  const isFinished = await orders;
  await Promise.all(sides);
  return isFinished;
}

/** @returns whether all due days were asked for, within the time budget */
async function sweepAllOrders(
  deps: RunDeps,
  request: SweepRequest,
  due: readonly DueDay[],
  mayAsk: () => boolean,
): Promise<boolean> {
  const isFinished = await sweepOrders(deps, due, mayAsk);
  const isAll = request.from === undefined && request.to === undefined;
  const mayBeDue = isAll && isFinished && mayAsk();
  const isDue = request.audit === true || (mayBeDue && (await isAuditDue(deps)));
  if (isDue && mayAsk()) await auditShop(deps, mayAsk);
  await sweepLines(deps, mayAsk);
  return isFinished;
}

function rangeOf(deps: RunDeps, { from, to }: SweepRequest): DueRange {
  const last = today(deps);
  if (from !== undefined) assertNotFuture(deps, from);
  const isEarlier = to !== undefined && Temporal.PlainDate.compare(to, last) < 0;
  return { from: from ?? deps.shop.historyFrom, to: isEarlier ? to : last };
}

async function readDue(
  { db, lease, shop }: RunDeps,
  request: SweepRequest,
  range: DueRange,
  now: Temporal.Instant,
): Promise<readonly DueDay[]> {
  const ledger = await readLedger(db, lease.shopId);
  // What is still to come shows in the ledger before it is asked for.
  if (!ledger.some(({ day }) => day.equals(range.to))) {
    await fenced(db, lease, (tx) => announceDay(tx, lease.shopId, range.to));
  }
  const rule: DueRule = request.force
    ? { by: 'force', notSince: now }
    : { by: 'policy', policy: shop.freshness, aheadMs: request.kind === 'sync' ? AHEAD_MS : 0 };
  return dueDays(ledger, range, rule, now, shop.timezone);
}

function progressOf(
  { api, tally }: RunDeps,
  before: RequestCounts,
  at: Pick<Progress, 'phase' | 'daysTotal'>,
): Progress {
  const sent = ({ orders, content, user, groups }: RequestCounts) => orders + content + user + groups;
  const requests = sent(api.counts) - sent(before);
  return {
    ...at,
    daysDone: tally.days_verified,
    orders: tally.orders_seen,
    users: tally.usersDone,
    requests,
  };
}
