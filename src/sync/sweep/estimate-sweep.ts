/** How long a sweep will take, by one list request. */
import { findSurplus } from '../../plan/days/audit-due.ts';
import { type DueDay, isWithin } from '../../plan/days/due-days.ts';
import { estimateLoad } from '../../plan/load/load-cost.ts';
import type { OrdersQuery } from '../../shop-api/endpoints/list-orders.ts';
import { pageCapacity } from '../../shop-api/paging/request-page.ts';
import { readLedger } from '../../warehouse/ops/ledger.ts';
import { countLiveOrders } from '../../warehouse/orders/live-orders.ts';
import { attempt } from '../ask/record-faults.ts';
import type { Sweep } from '../run/context.ts';
import { currentThrottle, expectedPace } from '../run/throttle-state.ts';
import { type SweepEstimate, sweptRange, type SweepRequest } from './sweep-request.ts';

/** What a short list says of how many orders match. */
type ListCount = {
  readonly query: OrdersQuery;
  /** As the shop says, whatever it counts. */
  readonly total: number | undefined;
  readonly rows: number;
  readonly latencyMs: number;
};

/** Enough to tell a count of all matching orders from one of this page. */
const ROWS_ASKED = 2;

async function countListed(ports: Sweep['ports'], request: SweepRequest): Promise<ListCount> {
  const { api, signal } = ports;
  const { from } = sweptRange(ports, request);
  const query: OrdersQuery = {
    limit: ROWS_ASKED,
    ...(from && { dateFrom: from.toPlainDateTime() }),
    ...(request.to && { dateTo: request.to.toPlainDateTime('23:59:59') }),
  };
  const began = performance.now();
  const page = await attempt(api.listOrders(query, signal, { maxAttempts: 1 }), signal);
  const latencyMs = performance.now() - began;
  return { query, total: page?.total, rows: page?.rows.length ?? 0, latencyMs };
}

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
  const { api, db, lease } = ports;
  const count = await countListed(ports, request);
  const total = readTotal(count, state.profile.totalMeaning);
  if (total === undefined) return undefined;
  const range = sweptRange(ports, request);
  const ledger = await readLedger(db, lease.shopId, ports.now());
  const isDue = new Set(due.map(({ day }) => day.toString()));
  const others = ledger.filter(({ day }) => !isDue.has(day.toString()) && isWithin(range, day));
  const verified = others.reduce((sum, { orders = 0 }) => sum + orders, 0);
  // What it would be of some days is not known.
  const isOfAll = !isFiltered(count.query);
  // What counts all orders counts those without a date, too, and those dated ahead.
  const held = await countLiveOrders(db, lease.shopId, isOfAll ? undefined : range);
  const surplus = isOfAll ? findSurplus(state.audit) : 0;
  if (isOfAll) state.listedOrders = total - surplus;
  const orders = Math.max(0, total - surplus - held);
  const listed = Math.max(orders, total - surplus - verified);
  const requestsPerSecond = expectedPace(currentThrottle(api.health), state.loadRps, count.latencyMs);
  const load = estimateLoad({ orders, listed, pageRows: pageCapacity(state.profile), requestsPerSecond });
  return { ...load, orders, listed };
}

/** The number of matching orders, unless the shop is known, or seen, to count something else. */
function readTotal(
  { query, total, rows }: ListCount,
  meaning: 'unknown' | 'matches' | 'other',
): number | undefined {
  const isOfPage = total !== undefined && total <= rows && rows >= ROWS_ASKED;
  return isOfPage || (isFiltered(query) && meaning === 'other') ? undefined : total;
}

function isFiltered({ dateFrom, dateTo }: OrdersQuery): boolean {
  return dateFrom !== undefined || dateTo !== undefined;
}
