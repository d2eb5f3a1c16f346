import { expectedPace } from '../run/throttle-state.ts';
import { findSurplus } from '../../plan/days/audit-due.ts';
import { type DueDay, isWithin } from '../../plan/days/due-days.ts';
import { estimateLoad } from '../../plan/load/first-load.ts';
import type { OrdersQuery } from '../../shop-api/endpoints/list-orders.ts';
import { pageCapacity } from '../../shop-api/paging/page-profile.ts';
import { readLedger } from '../../warehouse/ops/ledger.ts';
import { readMonthTotals } from '../../warehouse/orders/live-orders.ts';
import { attempt } from '../ask/record-faults.ts';
import type { Sweep } from '../run/context.ts';
import { type SweepEstimate, sweptRange, type SweepRequest } from './sweep-request.ts';

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
  const began = performance.now();
  const query: OrdersQuery = { limit: ROWS_ASKED, ...dates(range.from, request.to) };
  const page = await attempt(api.listOrders(query, signal, { maxAttempts: 1 }), signal);
  const latencyMs = performance.now() - began;
  const total = readTotal(page?.total, page?.rows.length ?? 0, query, state.profile.totalMeaning);
  if (total === undefined) return undefined;
  const held = (await readMonthTotals(db, lease.shopId, range)).reduce((sum, { orders }) => sum + orders, 0);
  const ledger = await readLedger(db, lease.shopId);
  const isDue = new Set(due.map(({ day }) => day.toString()));
  const verified = ledger.reduce(
    (sum, { day, orders = 0 }) => sum + (isDue.has(day.toString()) || !isWithin(range, day) ? 0 : orders),
    0,
  );
  // What it would be of some days is not known.
  const isOfAll = query.dateFrom === undefined && query.dateTo === undefined;
  const surplus = isOfAll ? findSurplus(state.audit) : 0;
  if (isOfAll) state.listedOrders = total - surplus;
  const orders = Math.max(0, total - surplus - held);
  const listed = Math.max(orders, total - surplus - verified);
  const requestsPerSecond = expectedPace(api.health, state.loadRps, latencyMs);
  const load = estimateLoad({ orders, listed, pageRows: pageCapacity(state.profile), requestsPerSecond });
  return { ...load, orders, listed };
}

function dates(
  from: Temporal.PlainDate | undefined,
  to: Temporal.PlainDate | undefined,
): Pick<OrdersQuery, 'dateFrom' | 'dateTo'> {
  return {
    ...(from === undefined ? {} : { dateFrom: from.toPlainDateTime() }),
    ...(to === undefined ? {} : { dateTo: to.toPlainDateTime('23:59:59') }),
  };
}

/** The number of matching orders, unless the shop is known, or seen, to count something else. */
function readTotal(
  total: number | undefined,
  rows: number,
  query: OrdersQuery,
  meaning: 'unknown' | 'matches' | 'other',
): number | undefined {
  const isFiltered = query.dateFrom !== undefined || query.dateTo !== undefined;
  const isOfPage = total !== undefined && total <= rows && rows >= ROWS_ASKED;
  return isOfPage || (isFiltered && meaning === 'other') ? undefined : total;
}
