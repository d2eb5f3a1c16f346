import type { Facet, OrderCount } from '../../../model/order-facets.ts';
import { type CountedDay, countedDays, ordersWithin, rangeOf } from '../../../plan/counts/counted-days.ts';
import { countedNow, countRequestsAllowed } from '../../../plan/counts/count-pace.ts';
import { chooseFacets, countMatching, facetName } from '../../../plan/counts/facets.ts';
import { differingDays } from '../../../plan/counts/halving.ts';
import type { DueDay } from '../../../plan/days/due-days.ts';
import {
  MAX_SUSPENDED_HOURS,
  readSuspendedCounts,
  type SuspendedCount,
  suspendCounts,
} from '../../../warehouse/ops/due.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { makeDue, readLedger } from '../../../warehouse/ops/ledger.ts';
import { countOrdersByDay, countOrdersByFacet } from '../../../warehouse/orders/live-orders.ts';
import type { Sweep } from '../../run/context.ts';
import { today } from '../../run/shop-day.ts';
import { sweepOrders } from '../orders/sweep-orders.ts';
import { OrderCounter } from './order-counter.ts';

/** A failure may pass soon; a wrong count usually stays wrong. */
const HOURS_FAILED = 1;
const HOURS_WRONG = MAX_SUSPENDED_HOURS;
/** More days of a facet are not read in one sweep: the newest are, and others follow. */
const MAX_DAYS = 64;

type CountRound = {
  readonly sweep: Sweep;
  readonly counter: OrderCounter;
  readonly days: readonly CountedDay[];
  /** Days that were read for it. */
  readonly read: Set<CountedDay>;
};

/**
 * Compares what the shop counts of its older days with what is stored, some facets in each sweep, and reads the days that differ. Counts
 * make days due; a count verifies no day and marks no order. A facet that cannot be counted, or led to a day without
 * a difference, is suspended for a day.
 *
 * @returns whether the time budget allowed it
 */
export async function sweepByCounts(sweep: Sweep): Promise<boolean> {
  const { ports, state } = sweep;
  const { api, db, lease, logger, now, shop } = ports;
  const at = now();
  // Until the first load is complete, it finds everything; a total that does not count matching orders is of no use.
  const isOfUse = state.completedAt !== undefined && state.profile.totalMeaning === 'matches';
  if (!isOfUse || shop.countEveryMs === 0) return true;
  const ledger = await readLedger(db, lease.shopId, at);
  const days = countedDays(ledger, shop.freshness, shop.countEveryMs, today(ports), shop.historyFrom);
  if (days.length === 0) return true;
  const range = rangeOf(days);
  const stored = await countOrdersByFacet(db, lease.shopId, range);
  const suspended = new Set((await readSuspendedCounts(db, [lease.shopId], at)).map(({ facet }) => facet));
  const asked = chooseFacets(stored).filter((facet) => !suspended.has(facetName(facet)));
  const facets = countedNow(asked, state.counts, shop.countEveryMs, at);
  const allowed = countRequestsAllowed(state.counts, api.health.foundRps ?? api.health.maxRps, at);
  if (facets.length === 0 || allowed < facets.length) return true;
  const round = { sweep, counter: new OrderCounter(ports, allowed), days, read: new Set<CountedDay>() };
  const isFinished = await compare(round, facets, stored);
  const orders = countMatching({ by: 'all' }, stored);
  state.counts = { at, through: range.to, orders, facets: asked.length, requestsLeft: round.counter.left };
  logger.debug({ shop: shop.shopKey, facets: facets.length, days_read: round.read.size }, 'orders counted');
  return isFinished;
}

/** @returns whether the time budget allowed it */
async function compare(
  round: CountRound,
  facets: readonly Facet[],
  before: readonly OrderCount[],
): Promise<boolean> {
  const { counter, days, sweep } = round;
  const { db, lease, hasTimeLeft, now } = sweep.ports;
  const range = rangeOf(days);
  const suspended: Omit<SuspendedCount, 'shop_id'>[] = [];
  const suspend = (facet: Facet, reason: string, hours: number) =>
    suspended.push({ facet: facetName(facet), reason, until: now().add({ hours }) });
  let [stored, isFinished] = [before, true];
  for (const facet of facets) {
    const orders = await counter.count(facet, range);
    if (orders === undefined || orders === countMatching(facet, stored) || counter.isDone) continue;
    isFinished = hasTimeLeft();
    if (!isFinished) break;
    const followed = await followFacet(round, facet, orders);
    const { wrongDay } = followed;
    // Where the shop counts otherwise by now, it was changed meanwhile.
    if (wrongDay !== undefined && (await counter.count(facet, range)) === orders)
      suspend(facet, `its count led to ${wrongDay}, where nothing differs`, HOURS_WRONG);
    isFinished = followed.isFinished;
    if (!isFinished) break;
    // What these days explain needs no look by another facet.
    stored = await countOrdersByFacet(db, lease.shopId, range);
  }
  for (const [facet, reason] of counter.failures)
    suspend(facet, `could not be counted: ${reason}`, HOURS_FAILED);
  if (suspended.length > 0)
    await fenced(db, lease, (tx) => suspendCounts(tx, lease.shopId, suspended, now()));
  return isFinished;
}

/**
 * Follows what a facet counts differently to single days, makes these due, and reads them: the newest first, and the others where that
 * one did differ. Days that are not verified are due anyway, and say nothing of the facet.
 *
 * @param orders what the shop counts of all days
 * @returns `wrongDay`: one that was verified without any difference, so that the facet is wrong; `isFinished`: whether the time
 *   budget allowed all
 */
async function followFacet(
  round: CountRound,
  facet: Facet,
  orders: number,
): Promise<{ readonly isFinished: boolean; readonly wrongDay?: string }> {
  const { counter, days, read, sweep } = round;
  const { db, lease } = sweep.ports;
  const countByDay = async () => countOrdersByDay(db, lease.shopId, rangeOf(days), facet);
  const before = await countByDay();
  const ask = async (part: readonly CountedDay[]) => {
    const count = await counter.count(facet, rangeOf(part));
    return count === undefined ? undefined : count - ordersWithin(part, before);
  };
  /** By this sweep. */
  const isVerified = ({ day }: CountedDay) => sweep.state.verified.has(day.toString());
  const wrong = ({ day }: CountedDay) => ({ isFinished: true, wrongDay: day.toString() });
  const search = differingDays(days, orders - ordersWithin(days, before), ask);
  for (const most of [1, MAX_DAYS]) {
    const found: CountedDay[] = [];
    for (let next = await search.next(); next.done !== true; next = await search.next()) {
      const day = next.value;
      // What was read for another facet, and differs still, differs for no reason.
      if (read.has(day) && isVerified(day)) return wrong(day);
      if (day.verifiedAt !== undefined && !read.has(day)) found.push(day);
      if (found.length === most) break;
    }
    if (found.length === 0) break;
    if (!(await readDays(round, found))) return { isFinished: false };
    const after = await countByDay();
    const same = found.find((day) => ordersWithin([day], before) === ordersWithin([day], after));
    if (same && isVerified(same)) return wrong(same);
  }
  return { isFinished: true };
}

/** Makes days due, and reads them. @returns whether the time budget allowed it */
async function readDays({ days, read, sweep }: CountRound, found: readonly CountedDay[]): Promise<boolean> {
  const { db, lease, shop } = sweep.ports;
  const due = found.map((counted): DueDay => {
    read.add(counted);
    // The first one covers everything before it.
    const since = counted === days[0] && shop.historyFrom === undefined ? undefined : counted.since;
    return { day: counted.day, since, expected: counted.orders };
  });
  const names = due.map(({ day }) => day.toString());
  await fenced(db, lease, (tx) => makeDue(tx, lease.shopId, names));
  for (const name of names) sweep.state.verified.delete(name);
  sweep.state.counters.daysAdded += due.length;
  return sweepOrders(sweep, due);
}
