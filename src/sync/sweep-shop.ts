import { UnavailableError } from '../errors.ts';
import { type DayRange, type DueDay, dueDays, type DueRule } from '../plan/due-days.ts';
import type { Gauge } from '../shop-api/gauge.ts';
import type { RequestCounts } from '../shop-api/http.ts';
import { fenced } from '../warehouse/lease.ts';
import { announceDays, readLedger } from '../warehouse/ledger.ts';
import type { RunCounts } from '../warehouse/runs.ts';
import { countWithoutLines } from '../warehouse/load-lines.ts';
import { noteComplete } from './completion.ts';
import type { Progress } from './deps.ts';
import { assertNotFuture, earlierStart, historyStart, today } from './history.ts';
import { watchPatience } from './patience.ts';
import { utcText } from './politeness.ts';
import { type RunDeps, type RunOutcome, runShop, type ShopContext } from './run-shop.ts';
import { sweepGroups } from './sweep-groups.ts';
import { sweepLines } from './sweep-lines.ts';
import { sweepOrders } from './sweep-orders.ts';
import { sweepUsers } from './sweep-users.ts';

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
  /** No new window is begun after this. */
  readonly budgetMs?: number | undefined;
};

type Swept = {
  readonly daysDue: number;
  readonly newRejections: number;
  /** Orders of which the lines are not in, now or since earlier sweeps; they are asked for again by and by. */
  readonly ordersWithoutLines: number;
  readonly range: DayRange;
  /** Windows that were read whole, and those that moved while they were read. */
  readonly windows: { readonly proven: number; readonly unproven: number };
};

export type SweepResult = RunOutcome<Swept> & {
  readonly counts: RunCounts;
  /** How the shop was treated in the end. */
  readonly gauge: Gauge;
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
  const range = rangeSince(deps, request, deps.history.from ?? today(deps));
  const reached = { range, daysDue: 0 };
  if (absence.until !== undefined && Temporal.Instant.compare(began, absence.until) < 0) {
    reached.daysDue = (await readDue(deps, request, range, began)).length;
    tally.shortfalls.push(`the shop asked to be left alone for now; come back at ${utcText(absence.until)}`);
  } else {
    absence.until = undefined;
    try {
      await sweepDue(deps, request, watch, reached);
    } catch (error) {
      if (!(error instanceof UnavailableError) || error.retryAfterMs === undefined) throw error;
      absence.until = now().add({ milliseconds: Math.ceil(error.retryAfterMs) });
      // The first one stands in the books.
      tally.shortfalls.unshift(`${error.message}; come back at ${utcText(absence.until)}`);
    }
  }
  const shortfalls = [...new Set(tally.shortfalls)];
  const isWhole =
    tally.days_verified === reached.daysDue && shortfalls.length === 0 && tally.newRejections === 0;
  const windows = { proven: tally.windowsProven, unproven: tally.windowsUnproven };
  const isComplete = tally.days_verified === reached.daysDue && absence.until === undefined;
  if (isComplete) await fenced(db, lease, (tx) => noteComplete(tx, lease.shopId, now()));
  const ordersWithoutLines = await countWithoutLines(db, lease.shopId);
  const swept = { ...reached, windows, newRejections: tally.newRejections, ordersWithoutLines };
  return { ...swept, status: isWhole ? 'ok' : 'partial', shortfalls };
}

/** @param reached told which days are due, as soon as that is known */
async function sweepDue(
  given: RunDeps,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
  reached: { range: DayRange; daysDue: number },
): Promise<void> {
  const began = given.now();
  const budgetMs = request.budgetMs ?? Number.POSITIVE_INFINITY;
  const mayAsk = () => given.now().since(began).total('milliseconds') < budgetMs;
  using patience = watchPatience(given.api, () => !mayAsk());
  const deps = { ...given, signal: AbortSignal.any([given.signal, patience.signal]) };
  const progress = { phase: 'history' as Progress['phase'], daysTotal: 0 };
  const before = { ...deps.api.counts };
  watch(() => progressOf(deps, before, progress));
  const { range, due } = await dueOf(deps, request, began);
  Object.assign(reached, { range, daysDue: due.length });
  Object.assign(progress, { phase: 'orders', daysTotal: due.length });
  await sweepOrders(deps, due, mayAsk);
  await sweepLines(deps, mayAsk);
  progress.phase = 'users';
  await sweepUsers(deps, mayAsk);
  progress.phase = 'groups';
  if (mayAsk()) await sweepGroups(deps, mayAsk);
}

async function dueOf(
  deps: RunDeps,
  request: SweepRequest,
  now: Temporal.Instant,
): Promise<{ readonly range: DayRange; readonly due: readonly DueDay[] }> {
  const isRemembered = deps.history.from !== undefined;
  const start = request.from ?? (await historyStart(deps));
  const range = rangeSince(deps, request, start);
  const due = await readDue(deps, request, range, now);
  // What lies before the first day is as due as that day.
  const isFirstDue = due.at(-1)?.day.equals(range.from) === true;
  if (!isRemembered || request.from !== undefined || !isFirstDue) return { range, due };
  const longer = { ...range, from: await earlierStart(deps, range.from) };
  return { range: longer, due: await readDue(deps, request, longer, now) };
}

/** @param start the first day, where the request tells none */
function rangeSince(deps: RunDeps, { from, to }: SweepRequest, start: Temporal.PlainDate): DayRange {
  const last = today(deps);
  if (from !== undefined) assertNotFuture(deps, from);
  const isEarlier = to !== undefined && Temporal.PlainDate.compare(to, last) < 0;
  return { from: from ?? deps.shop.historyFrom ?? start, to: isEarlier ? to : last };
}

async function readDue(
  { db, lease, shop }: RunDeps,
  request: SweepRequest,
  range: DayRange,
  now: Temporal.Instant,
): Promise<readonly DueDay[]> {
  const ledger = await readLedger(db, lease.shopId, range.from, range.to);
  await fenced(db, lease, (tx) => announceDays(tx, lease.shopId, range.from, range.to));
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
