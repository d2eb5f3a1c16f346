/** Follows what a facet counts differently to single days, reads these, and sees whether they differ. */
import type { Facet } from '../../../model/order-facets.ts';
import { type CountedDay, ordersWithin, rangeOf } from '../../../plan/counts/counted-days.ts';
import { differingDays } from '../../../plan/counts/halving.ts';
import type { DueDay } from '../../../plan/days/due-days.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { makeDue } from '../../../warehouse/ops/ledger.ts';
import { countHeldByDay } from '../../../warehouse/orders/live-orders.ts';
import type { Sweep } from '../../run/context.ts';
import { sweepOrders } from '../orders/sweep-orders.ts';
import type { CountAsker } from './count-asker.ts';

export type CountRound = {
  readonly sweep: Sweep;
  readonly onFailure: (error: unknown) => void;
  readonly asker: CountAsker;
  readonly days: readonly CountedDay[];
  /** Days that were read for it. */
  readonly read: Set<CountedDay>;
};

/** More days of a facet are not read in one sweep: the newest are, and others follow. */
const MAX_DAYS = 64;

/**
 * Makes days due on which the facet differs, and reads them: the newest first, and the others where that one did differ. Days that
 * are not verified are due anyway, and say nothing of the facet.
 *
 * @param orders what the shop counts of all days
 * @returns `wrongDay`: one that was verified and held what it did before, so that the facet is wrong; `isFinished`: whether the time
 *   budget allowed all
 */
export async function followFacet(
  round: CountRound,
  facet: Facet,
  orders: number,
): Promise<{ readonly isFinished: boolean; readonly wrongDay?: string }> {
  const { asker, days, read, sweep } = round;
  const before = await countByDay(round, facet);
  const ask = async (part: readonly CountedDay[]) => {
    const count = await asker.ask(facet, rangeOf(part));
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
    const after = await countByDay(round, facet);
    const same = found.find((day) => ordersWithin([day], before) === ordersWithin([day], after));
    if (same && isVerified(same)) return wrong(same);
  }
  return { isFinished: true };
}

async function countByDay({ sweep, days }: CountRound, facet: Facet): Promise<ReadonlyMap<string, number>> {
  const { db, lease } = sweep.ports;
  return countHeldByDay(db, lease.shopId, rangeOf(days), facet);
}

/** Makes days due, and reads them. @returns whether the time budget allowed it */
async function readDays(
  { days, onFailure, read, sweep }: CountRound,
  found: readonly CountedDay[],
): Promise<boolean> {
  const { db, lease, shop } = sweep.ports;
  const due = found.map((counted): DueDay => {
    read.add(counted);
    // The first one speaks for whatever was before it.
    const since = counted === days[0] && shop.historyFrom === undefined ? undefined : counted.since;
    return { day: counted.day, since, expected: counted.orders };
  });
  const names = due.map(({ day }) => day.toString());
  await fenced(db, lease, (tx) => makeDue(tx, lease.shopId, names));
  for (const name of names) sweep.state.verified.delete(name);
  sweep.state.counters.daysAdded += due.length;
  return sweepOrders(sweep, due, { onFailure });
}
