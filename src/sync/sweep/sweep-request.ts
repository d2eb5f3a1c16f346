/** What one sweep is to do: the days that are due in its range, and in the end those that still are. */
import type { LedgerDay } from '../../model/ledger-day.ts';
import {
  ALL_DUE,
  aheadOf,
  type DueDay,
  dueDays,
  type DueRange,
  type DueRule,
  isWaiting,
  isWithin,
} from '../../plan/days/due-days.ts';
import { followSweeps, freshnessTargetMs } from '../../plan/days/freshness.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { announceDay, readLedger, readUnverified } from '../../warehouse/ops/ledger.ts';
import type { ShopContext, Sweep, SweepEstimate } from '../run/context.ts';
import { today } from '../run/shop-day.ts';
import { freshnessRecords } from '../run/shop-state.ts';

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

/** The days that a sweep covers: none after today. */
export function sweptRange(ports: Pick<ShopContext, 'now' | 'shop'>, { from, to }: SweepRequest): DueRange {
  const last = today(ports);
  const isEarlier = to !== undefined && Temporal.PlainDate.compare(to, last) < 0;
  return { from: from ?? ports.shop.historyFrom, to: isEarlier ? to : last };
}

/** What a sweep is to read. */
export type PlannedSweep = {
  readonly range: DueRange;
  /** Days that are due now, newest first. */
  readonly due: readonly DueDay[];
  /** Those that could not be verified, and wait to be tried again. */
  readonly waiting: readonly LedgerDay[];
};

/** Decides how fresh the shop is to be, what is to be stored of it, and which of its days are due. */
export async function planSweep(sweep: Sweep, request: SweepRequest): Promise<PlannedSweep> {
  const { ports } = sweep;
  const { db, lease, now, shop } = ports;
  await followPolicy(sweep, request);
  const range = sweptRange(ports, request);
  const began = now();
  const aheadMs = request.kind === 'sync' ? AHEAD_MS : 0;
  const policy = request.force === true ? ALL_DUE : aheadOf(shop.freshness, aheadMs);
  const ledger = await readLedger(db, lease.shopId, began, freshnessRecords(policy));
  // The ledger shows the newest day as open before it is read.
  if (!ledger.some(({ day }) => day.equals(range.to))) {
    await fenced(db, lease, (tx) => announceDay(tx, lease.shopId, range.to));
  }
  const rule: DueRule = request.force ? {} : { awaitsRetry: request.isScheduled === true, aheadMs };
  return {
    range,
    due: dueDays(ledger, range, rule, began),
    waiting: ledger.filter((row) => isWithin(range, row.day) && isWaiting(row, rule, began)),
  };
}

/** The policies that this sweep goes by, which follow how often sweeps come where no worker watches the shop. */
async function followPolicy({ ports, state }: Sweep, { followsSweeps = false }: SweepRequest): Promise<void> {
  const { db, lease, now, shop } = ports;
  const { countEveryMs, freshness, historyFrom } = shop;
  const last = state.lookedAt && { policy: state.freshness, beganAt: state.lookedAt };
  state.freshness = followsSweeps ? followSweeps(freshness, last, now()) : freshness;
  state.countEveryMs = countEveryMs;
  if (followsSweeps && countEveryMs > 0)
    state.countEveryMs = Math.max(countEveryMs, freshnessTargetMs(state.freshness, 0));
  const isReopened = state.historyFrom !== undefined && historyFrom === undefined;
  const { first } = isReopened ? await readUnverified(db, lease.shopId) : {};
  // The setting that left out older days is gone: they are still to be read, though nothing in the ledger says so.
  if (first?.isVerified === true)
    await fenced(db, lease, (tx) => announceDay(tx, lease.shopId, first.day.subtract({ days: 1 })));
  state.historyFrom = historyFrom;
  state.lookedAt = now();
}

/** Counts what a sweep leaves to do: unverified days of its range, and days that were due and were not verified. */
export async function readOpenDays({ ports, state }: Sweep, due: readonly DueDay[], range: DueRange) {
  const left = due.map(({ day }) => day.toString()).filter((day) => !state.verified.has(day));
  const { first, unverified } = await readUnverified(ports.db, ports.lease.shopId);
  const open = unverified.filter((day) => isWithin(range, day)).map(String);
  // The oldest of them stands for all days before it: the shop's first order was not reached yet.
  const isBeginningDue = range.from === undefined && first !== undefined && !first.isVerified;
  return { open: new Set([...left, ...open]).size, isBeginningDue, first: first?.day };
}
