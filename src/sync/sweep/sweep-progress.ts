/** How long a sweep will take, by one list request, and how far it is. */
import { findSurplus } from '../../plan/days/audit-due.ts';
import { type DueDay, isWithin } from '../../plan/days/due-days.ts';
import { estimateLoad } from '../../plan/load/load-cost.ts';
import { pageCapacity } from '../../shop-api/paging/request-page.ts';
import { readLedger } from '../../warehouse/ops/ledger.ts';
import { countLiveOrders } from '../../warehouse/orders/live-orders.ts';
import { attempt } from '../ask/record-faults.ts';
import type { Progress, Sweep, SweepEstimate } from '../run/context.ts';
import { countRequests } from '../run/run-record.ts';
import { currentThrottle, expectedPace, measurePace } from '../run/throttle-state.ts';
import { sweptRange, type SweepRequest } from './sweep-request.ts';

/** Enough to tell a count of all matching orders from one of this page. */
const ROWS_ASKED = 2;

/**
 * Estimates what the due days take, by one list request: its `total` says how many orders there are, and its duration how
 * long a request takes.
 *
 * @returns undefined where the shop does not say how many orders it has
 * @throws TerminalError, UnavailableError when the shop refuses more than this request
 */
export async function estimateSweep(
  { ports, state }: Sweep,
  request: SweepRequest,
  due: readonly DueDay[],
): Promise<SweepEstimate | undefined> {
  const { api, db, lease, signal } = ports;
  const range = sweptRange(ports, request);
  const dates = {
    ...(range.from && { dateFrom: range.from.toPlainDateTime() }),
    ...(request.to && { dateTo: request.to.toPlainDateTime('23:59:59') }),
  };
  const isOfAll = Object.keys(dates).length === 0;
  const began = performance.now();
  const page = await attempt(
    api.listOrders({ limit: ROWS_ASKED, ...dates }, signal, { maxAttempts: 1 }),
    signal,
  );
  const latencyMs = performance.now() - began;
  const { rows = [], total } = page ?? {};
  const isOfPage = total !== undefined && total <= rows.length && rows.length >= ROWS_ASKED;
  if (total === undefined || isOfPage || (!isOfAll && state.profile.totalMeaning === 'other'))
    return undefined;
  const ledger = await readLedger(db, lease.shopId, ports.now());
  const isDue = new Set(due.map(({ day }) => day.toString()));
  const others = ledger.filter(({ day }) => !isDue.has(day.toString()) && isWithin(range, day));
  const verified = others.reduce((sum, { orders = 0 }) => sum + orders, 0);
  // What counts all orders counts those without a date, too, and those dated ahead; what it would be of some days is not known.
  const stored = await countLiveOrders(db, lease.shopId, isOfAll ? undefined : range);
  const expected = isOfAll ? total - findSurplus(state.audit) : total;
  if (isOfAll) state.listedOrders = expected;
  const orders = Math.max(0, expected - stored);
  const listed = Math.max(orders, expected - verified);
  const requestsPerSecond = expectedPace(currentThrottle(api.health), state.loadRps, latencyMs);
  const load = estimateLoad({ orders, listed, pageRows: pageCapacity(state.profile), requestsPerSecond });
  state.estimate = { ...load, orders, listed };
  return state.estimate;
}

/** @returns what tells how far a sweep is that begins now */
export function trackProgress({ ports: { api }, state }: Sweep, due: readonly DueDay[]): () => Progress {
  const { counters } = state;
  const [beganMs, before] = [performance.now(), countRequests(api.counts)];
  // If the history before the oldest day was never read, its length is known only at its end.
  const isAllKnown = due.every(({ since, expected }) => since !== undefined || expected !== undefined);
  const loadLeft = ({ orders, listed }: SweepEstimate, pace: number | undefined) =>
    estimateLoad({
      orders: Math.max(0, orders - counters.orders_new - counters.orders_changed),
      listed: Math.max(0, listed - counters.ordersRead),
      pageRows: pageCapacity(state.profile),
      requestsPerSecond: expectedPace(currentThrottle(api.health), pace),
    }).seconds;
  return () => {
    const days_verified = state.verified.size;
    const requests = countRequests(api.counts) - before;
    // Orders that came meanwhile lead to more days than were due, too.
    const days_due = isAllKnown ? Math.max(due.length + counters.daysAdded, days_verified) : undefined;
    const elapsedMs = performance.now() - beganMs;
    const pace = measurePace(requests, elapsedMs) ?? state.loadRps;
    const daysLeft =
      days_due && days_verified ? (elapsedMs / 1000) * (days_due / days_verified - 1) : undefined;
    const left = state.estimate ? loadLeft(state.estimate, pace) : daysLeft;
    return {
      phase: state.phase,
      days_due,
      days_verified,
      orders_total: state.estimate?.listed,
      orders_read: counters.ordersRead,
      orders_seen: counters.orders_seen,
      orders_stored: counters.orders_new + counters.orders_changed,
      users: counters.usersDone,
      requests,
      // At the pace that it has reached; where its orders are unknown, at that of its days.
      seconds_left: left && Math.round(left),
    };
  };
}
