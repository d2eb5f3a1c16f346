import type { DueDay } from '../../plan/days/due-days.ts';
import { UnavailableError } from '../../model/errors.ts';
import type { RequestCounts } from '../../shop-api/shop-api.ts';
import { estimateLoad } from '../../plan/load/load-cost.ts';
import { pageCapacity } from '../../shop-api/paging/request-page.ts';
import type { Progress, Sweep } from '../run/context.ts';
import { countRequests } from '../run/run-record.ts';
import { currentThrottle, expectedPace, measurePace } from '../run/throttle-state.ts';
import { auditShop } from './audit-shop.ts';
import { sweepByCounts } from './counts/sweep-by-counts.ts';
import { sweepGroups } from './directory/sweep-groups.ts';
import { sweepUsers } from './directory/sweep-users.ts';
import { sweepLines } from './orders/sweep-lines.ts';
import { sweepOrders } from './orders/sweep-orders.ts';
import { estimateSweep } from './estimate-sweep.ts';
import type { SweepEstimate, SweepRequest } from './sweep-request.ts';

type ProgressSoFar = Pick<Progress, 'days_due'> & {
  phase: Progress['phase'];
  estimated: SweepEstimate | undefined;
  /** Milliseconds of the process, and the client's counts, when it began. */
  readonly beganMs: number;
  readonly before: RequestCounts;
};

/**
 * Reads everything that is due from the shop: orders, users beside them, and then groups.
 *
 * @returns whether all due days were requested within the time budget
 */
export async function sweepDue(
  given: Sweep,
  request: SweepRequest,
  watch: (read: () => Progress) => void,
  due: readonly DueDay[],
): Promise<boolean> {
  const { api } = given.ports;
  using timeout = startTimeout(given.ports);
  // An error in orders ends everything: refused credentials must not be tried a hundred more times.
  const failed = new AbortController();
  const fail = (error: unknown) => failed.abort(error);
  const signal = AbortSignal.any([given.ports.signal, timeout.signal, failed.signal]);
  const sweep: Sweep = { ...given, ports: { ...given.ports, signal } };
  // If the history before the oldest day was never read, its length is known only at its end.
  const isAllKnown = due.every(({ since, expected }) => since !== undefined || expected !== undefined);
  const progress: ProgressSoFar = {
    phase: 'orders',
    days_due: isAllKnown ? due.length : undefined,
    estimated: undefined,
    beganMs: performance.now(),
    before: { ...api.counts },
  };
  watch(() => readProgress(sweep, progress));
  if (request.onEstimate !== undefined && due.length > 0) {
    progress.estimated = await estimateSweep(sweep, request, due);
    if (progress.estimated !== undefined) request.onEstimate(progress.estimated);
  }
  const groupsTurn = Promise.withResolvers<void>();
  const orders = sweepAllOrders(sweep, request, due, fail, groupsTurn.resolve).finally(groupsTurn.resolve);
  void orders.then(() => (progress.phase = 'users'), fail);
  // An error in users or groups is thrown when the orders are in.
  const groups = groupsTurn.promise.then(() => sweepGroups(sweep));
  const sides = [sweepUsers(sweep, orders), groups];
  await Promise.allSettled([orders, ...sides]);
  const isFinished = await orders;
  await Promise.all(sides);
  return isFinished;
}

/**
 * Reads the orders of due days, those that counts or the list without dates lead to, and lines that are due.
 *
 * @returns whether all due days were requested within the time budget
 */
async function sweepAllOrders(
  sweep: Sweep,
  request: SweepRequest,
  due: readonly DueDay[],
  onFailure: (error: unknown) => void,
  mayReadGroups: () => void,
): Promise<boolean> {
  const { api, mayAsk } = sweep.ports;
  const before = api.counts.content;
  const isAll = request.from === undefined && request.to === undefined;
  // The tree is read as a whole or not at all: where processes are killed, a large one would take the requests that lists need.
  const isRead = await sweepOrders(sweep, due, { onFailure, onBegun: mayReadGroups });
  const isCounted = request.kind === 'sync' && isAll && isRead && mayAsk();
  const isFinished = isCounted ? await sweepByCounts(sweep, onFailure) : isRead;
  const isWhole = request.audit === true;
  if (isWhole || (isAll && isFinished && mayAsk())) await auditShop(sweep, isWhole);
  await sweepLines(sweep, api.counts.content > before);
  return isFinished;
}

function readProgress(sweep: Sweep, at: ProgressSoFar): Progress {
  const { ports, state } = sweep;
  const { counters } = state;
  const requests = countRequests(ports.api.counts) - countRequests(at.before);
  const progress = {
    phase: at.phase,
    // Orders that came meanwhile lead to more days than were due, too.
    days_due:
      at.days_due === undefined
        ? undefined
        : Math.max(at.days_due + counters.daysAdded, counters.days_verified),
    days_verified: counters.days_verified,
    orders_total: at.estimated?.listed,
    orders_read: counters.ordersRead,
    orders_seen: counters.orders_seen,
    orders_stored: counters.orders_new + counters.orders_changed,
    users: counters.usersDone,
    requests,
  };
  const left = readSecondsLeft(sweep, at, progress);
  return { ...progress, seconds_left: left && Math.round(left) };
}

/** What is left of a sweep at the pace that it has reached; where its orders are unknown, at that of its days. */
function readSecondsLeft(
  { ports: { api }, state }: Sweep,
  { estimated, beganMs }: ProgressSoFar,
  { days_due, days_verified, orders_read, orders_stored, requests }: Omit<Progress, 'seconds_left'>,
): number | undefined {
  const elapsedMs = performance.now() - beganMs;
  if (estimated === undefined)
    return days_due === undefined || days_verified === 0
      ? undefined
      : (elapsedMs / 1000) * (days_due / days_verified - 1);
  const pace = measurePace(requests, elapsedMs) ?? state.loadRps;
  return estimateLoad({
    orders: Math.max(0, estimated.orders - orders_stored),
    listed: Math.max(0, estimated.listed - orders_read),
    pageRows: pageCapacity(state.profile),
    requestsPerSecond: expectedPace(currentThrottle(api.health), pace),
  }).seconds;
}

/** Time is up while a shop still answers: the sweep ends in order, and the next one goes on. */
export class OverdueError extends Error {
  override readonly name = 'OverdueError';
}

const CHECK_MS = 500;

/**
 * A sweep starts nothing new after its time budget, but a slow shop can take any time for what was begun, and requests
 * that wait for an unavailable shop would go on waiting.
 *
 * @returns until disposed, a signal that is aborted with an OverdueError or an UnavailableError when that happens
 */
function startTimeout({
  api,
  isOverdue,
  mayAsk,
}: Pick<Sweep['ports'], 'api' | 'isOverdue' | 'mayAsk'>): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const rest = 'what was written is kept, and the next run resumes where this one ended';
  const timer = setInterval(() => {
    if (api.health.circuit !== 'closed' && !mayAsk()) {
      const why = "the shop does not respond, and the sweep's time budget ran out";
      controller.abort(new UnavailableError(`${why}; ${rest}`));
    } else if (isOverdue()) {
      controller.abort(new OverdueError(`the time budget ran out before the shop had answered; ${rest}`));
    }
  }, CHECK_MS);
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
