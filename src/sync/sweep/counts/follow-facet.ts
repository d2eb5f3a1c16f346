/** Follows what a facet counts differently to single days, reads these, and sees whether they differ. */
import type { Facet } from '../../../model/order-facets.ts';
import { type CountedDay, ordersWithin, rangeOf } from '../../../plan/counts/counted-days.ts';
import { differingDays, type Stretch } from '../../../plan/counts/halving.ts';
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
  /** Places of days that were read for it. */
  readonly read: Set<number>;
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
  const { asker, days, read } = round;
  const before = await countByDay(round, facet);
  const ask = async (part: Stretch) => {
    const range = rangeOf(days, part);
    const count = await asker.ask(facet, range);
    return count === undefined ? undefined : count - ordersWithin(range, before);
  };
  const difference = orders - ordersWithin(rangeOf(days), before);
  const search = differingDays({ first: 0, last: days.length - 1 }, difference, ask);
  for (const most of [1, MAX_DAYS]) {
    const found: number[] = [];
    for (let next = await search.next(); next.done !== true; next = await search.next()) {
      const day = days[next.value];
      // What was read for another facet, and differs still, differs for no reason.
      if (day && read.has(next.value) && isVerified(round, day)) return wrong(day);
      if (day?.verifiedAt !== undefined && !read.has(next.value)) found.push(next.value);
      if (found.length === most) break;
    }
    if (found.length === 0) break;
    if (!(await readDays(round, found))) return { isFinished: false };
    const after = await countByDay(round, facet);
    const same = found.find((place) => {
      const range = rangeOf(days, { first: place, last: place });
      return ordersWithin(range, before) === ordersWithin(range, after);
    });
    const day = same === undefined ? undefined : days[same];
    if (day && isVerified(round, day)) return wrong(day);
  }
  return { isFinished: true };
}

const wrong = ({ day }: CountedDay) => ({ isFinished: true, wrongDay: day.toString() });

/** By this sweep. */
function isVerified({ sweep }: CountRound, { day }: CountedDay): boolean {
  return sweep.state.verified.has(day.toString());
}

async function countByDay({ sweep, days }: CountRound, facet: Facet): Promise<ReadonlyMap<string, number>> {
  const { db, lease } = sweep.ports;
  return countHeldByDay(db, lease.shopId, rangeOf(days), facet);
}

/** Makes days due, and reads them. @returns whether the time budget allowed it */
async function readDays(
  { days, onFailure, read, sweep }: CountRound,
  places: readonly number[],
): Promise<boolean> {
  const { db, lease, shop } = sweep.ports;
  const due = places.flatMap((place): readonly DueDay[] => {
    const day = days[place];
    if (day === undefined) return [];
    read.add(place);
    // The first one speaks for whatever was before it.
    const since = place === 0 && shop.historyFrom === undefined ? undefined : day.since;
    return [{ day: day.day, since, expected: day.orders }];
  });
  const names = due.map(({ day }) => day.toString());
  await fenced(db, lease, (tx) => makeDue(tx, lease.shopId, names));
  for (const name of names) sweep.state.verified.delete(name);
  sweep.state.counters.daysAdded += due.length;
  return sweepOrders(sweep, due, { onFailure });
}
