/** What one sweep is to do: the days that are due in its range, and in the end those that still are. */
import type { LedgerDay } from '../../ledger-day.ts';
import { findSurplus } from '../../plan/days/audit-due.ts';
import {
  type DueDay,
  dueDays,
  type DueRange,
  type DueRule,
  isWaiting,
  isWithin,
} from '../../plan/days/due-days.ts';
import { estimateLoad, type LoadEstimate } from '../../plan/load/load-cost.ts';
import type { OrdersQuery } from '../../shop-api/endpoints/list-orders.ts';
import { pageCapacity } from '../../shop-api/paging/page-profile.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { announceDay, readLedger, readUnverified } from '../../warehouse/ops/ledger.ts';
import { readMonthTotals } from '../../warehouse/orders/live-orders.ts';
import { attempt } from '../ask/record-faults.ts';
import type { Ports, Sweep } from '../run/context.ts';
import { assertNotFuture, today } from '../run/shop-day.ts';
import { expectedPace } from '../run/throttle-state.ts';

export type SweepEstimate = LoadEstimate & {
  readonly orders: number;
  /** Orders in the days to be read, with those that the warehouse holds already. */
  readonly listed: number;
};

export type SweepRequest = {
  readonly kind: 'sync' | 'backfill';
  /** First and last day. @default the start of the shop's history, and today */
  readonly from?: Temporal.PlainDate | undefined;
  readonly to?: Temporal.PlainDate | undefined;
  /** No person asked for it: days that could not be verified are tried again at growing intervals only. */
  readonly isScheduled?: boolean;
  /** No worker watches the shop: its targets follow how often somebody, or cron, asks for this. */
  readonly followsSweeps?: boolean;
  /** Read these orders and nothing else; no day is verified. */
  readonly orders?: readonly string[];
  /** Verify every day of the range again, even if it is not due. */
  readonly force?: boolean;
  /** Trust the shop even if implausibly many orders disappeared at once. */
  readonly acceptMissing?: boolean;
  /** Read the list without dates too, even if that is not due. */
  readonly audit?: boolean;
  /** No new window is started after this. */
  readonly budgetMs?: number | undefined;
  /** No new window is started once this returns true. */
  readonly mustEnd?: () => boolean;
  /** Called before the first window, with what is due; costs a list request. */
  readonly onEstimate?: (estimate: SweepEstimate) => void;
};

/**
 * Half of a worker's usual tick: a sync that runs every minute, and waits longer for a slot at one time than at another,
 * would otherwise find days that are due every minute not quite due every second time.
 */
const AHEAD_MS = 30_000;

/** The days that a sweep covers: none after today. @throws UsageError for a first day in the future */
export function sweptRange(ports: Pick<Ports, 'now' | 'shop'>, { from, to }: SweepRequest): DueRange {
  const last = today(ports);
  if (from !== undefined) assertNotFuture(ports, from);
  const isEarlier = to !== undefined && Temporal.PlainDate.compare(to, last) < 0;
  return { from: from ?? ports.shop.historyFrom, to: isEarlier ? to : last };
}

/** The days of a range that are due now, newest first, and those that could not be verified and wait to be tried again. */
export async function readDue(
  { db, lease, now, shop }: Pick<Ports, 'db' | 'lease' | 'now' | 'shop'>,
  request: SweepRequest,
  range: DueRange,
): Promise<{ readonly due: readonly DueDay[]; readonly waiting: readonly LedgerDay[] }> {
  const began = now();
  const ledger = await readLedger(db, lease.shopId);
  // The ledger shows the newest day as open before it is read.
  if (!ledger.some(({ day }) => day.equals(range.to))) {
    await fenced(db, lease, (tx) => announceDay(tx, lease.shopId, range.to));
  }
  const rule: DueRule = request.force
    ? { by: 'force', notSince: began }
    : {
        by: 'policy',
        policy: shop.freshness,
        aheadMs: request.kind === 'sync' ? AHEAD_MS : 0,
        awaitsRetry: request.isScheduled === true,
      };
  return {
    due: dueDays(ledger, range, rule, began, shop.timezone),
    waiting: ledger.filter((row) => isWithin(range, row.day) && isWaiting(row, rule, began)),
  };
}

/** Counts what a sweep leaves to do: unverified days of its range, and days that were due and were not verified. */
export async function readOpenDays(
  { ports, found }: Pick<Sweep, 'found' | 'ports'>,
  due: readonly DueDay[],
  range: DueRange,
) {
  const left = due.map(({ day }) => day.toString()).filter((day) => found.days.get(day) !== 'verified');
  const { first, unverified } = await readUnverified(ports.db, ports.lease.shopId);
  const open = unverified.filter((day) => isWithin(range, day)).map(String);
  // The oldest of them stands for all days before it: the shop's first order was not reached yet.
  const isBeginningDue = range.from === undefined && first !== undefined && !first.isVerified;
  return { open: new Set([...left, ...open]).size, isBeginningDue, first: first?.day };
}

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
  const query: OrdersQuery = {
    limit: ROWS_ASKED,
    ...(range.from && { dateFrom: range.from.toPlainDateTime() }),
    ...(request.to && { dateTo: request.to.toPlainDateTime('23:59:59') }),
  };
  const page = await attempt(api.listOrders(query, signal, { maxAttempts: 1 }), signal);
  const latencyMs = performance.now() - began;
  const total = readTotal(page?.total, page?.rows.length ?? 0, query, state.profile.totalMeaning);
  if (total === undefined) return undefined;
  const held = (await readMonthTotals(db, lease.shopId, range)).reduce((sum, { orders }) => sum + orders, 0);
  const ledger = await readLedger(db, lease.shopId);
  const isDue = new Set(due.map(({ day }) => day.toString()));
  const others = ledger.filter(({ day }) => !isDue.has(day.toString()) && isWithin(range, day));
  const verified = others.reduce((sum, { orders = 0 }) => sum + orders, 0);
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
