/** Follows what a facet counts differently to single days, reads these, and sees whether they differ. */
import { counted } from '../../../model/amount-text.ts';
import type { Facet } from '../../../model/order-facets.ts';
import { type CountedDay, ordersWithin, rangeOf } from '../../../plan/counts/counted-days.ts';
import { type DifferingFacet, facetName, setAside } from '../../../plan/counts/facets.ts';
import { type DifferingDay, differingDays, type Stretch } from '../../../plan/counts/halving.ts';
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
  /** Names of facets that were followed, and of fields of which a mass edit was. */
  readonly done: Set<string>;
  /** Places of days that were read for it. */
  readonly read: Set<number>;
};

/** More days are not looked for in one sweep: the newest are found, and others follow. */
const MAX_DAYS = 64;
/** More days than these that are not verified are not counted one by one. */
const MAX_UNVERIFIED = 16;

/**
 * Makes the days due on which the facet differs, and reads them: the newest first, and the others where that one did differ.
 * Where a day did not, the facet is set aside. Of a mass edit the newest day is all: those before it are read in the sweeps to
 * come, and as they grow old.
 *
 * @returns whether the time budget allowed it
 */
export async function followFacet(
  round: CountRound,
  { facet, orders, isOfMass }: DifferingFacet,
): Promise<boolean> {
  round.done.add(facetName(facet));
  const search = await findDays(round, facet, orders);
  for (const most of isOfMass ? [1] : [1, MAX_DAYS]) {
    const days = await take(search, most);
    if (days.length === 0) return true;
    const before = await countByDay(round, facet);
    if (!(await readDays(round, days))) return false;
    const wrong = await findWrong(round, facet, days, before);
    if (wrong !== undefined) {
      await doubt(round, facet, orders, wrong);
      return true;
    }
  }
  // The other facets of the field would lead to days of the same edit.
  if (isOfMass) round.done.add(facet.by);
  return true;
}

async function take(search: AsyncGenerator<DifferingDay>, most: number): Promise<readonly DifferingDay[]> {
  const days: DifferingDay[] = [];
  while (days.length < most) {
    const { done, value } = await search.next();
    if (done === true) break;
    days.push(value);
  }
  return days;
}

/** The days that differ, but for those that are not verified: they are due anyway, and say nothing of the facet. */
async function findDays(
  round: CountRound,
  facet: Facet,
  orders: number,
): Promise<AsyncGenerator<DifferingDay>> {
  const { asker, days } = round;
  const held = new Map(await countByDay(round, facet));
  const ask = async (part: Stretch) => {
    const range = rangeOf(days, part);
    const expected = ordersWithin(range, held);
    const count = await asker.ask(facet, range, expected);
    return count === undefined ? undefined : count - expected;
  };
  const open = [...days.entries()].filter(([, { verifiedAt }]) => verifiedAt === undefined);
  for (const [place, { day }] of open.length > MAX_UNVERIFIED ? [] : open) {
    const difference = (await ask({ first: place, last: place })) ?? 0;
    held.set(day.toString(), (held.get(day.toString()) ?? 0) + difference);
  }
  const difference = orders - ordersWithin(rangeOf(days), held);
  return differingDays({ first: 0, last: days.length - 1 }, difference, ask);
}

async function countByDay({ sweep, days }: CountRound, facet: Facet): Promise<ReadonlyMap<string, number>> {
  const { db, lease } = sweep.ports;
  return countHeldByDay(db, lease.shopId, rangeOf(days), facet);
}

/** Makes days due, and reads them: those that are verified, and were not read in this round. */
async function readDays(round: CountRound, differing: readonly DifferingDay[]): Promise<boolean> {
  const { sweep, read, onFailure } = round;
  const { db, lease, shop } = sweep.ports;
  const due = differing.flatMap(({ place }): readonly DueDay[] => {
    const day = round.days[place];
    if (day?.verifiedAt === undefined || read.has(place)) return [];
    read.add(place);
    // The first one speaks for whatever was before it.
    const since = place === 0 && shop.historyFrom === undefined ? undefined : day.since;
    return [{ day: day.day, since, expected: day.orders }];
  });
  if (due.length === 0) return true;
  const names = due.map(({ day }) => day.toString());
  await fenced(db, lease, (tx) => makeDue(tx, lease.shopId, names));
  for (const name of names) sweep.found.verified.delete(name);
  sweep.state.counters.daysAdded += due.length;
  return sweepOrders(sweep, due, { onFailure });
}

/** A day that was verified, and held what was stored before. @returns what the shop is said to count there */
async function findWrong(
  round: CountRound,
  facet: Facet,
  differing: readonly DifferingDay[],
  before: ReadonlyMap<string, number>,
): Promise<string | undefined> {
  const after = await countByDay(round, facet);
  for (const { place, difference } of differing) {
    const range = rangeOf(round.days, { first: place, last: place });
    const [was, is] = [ordersWithin(range, before), ordersWithin(range, after)];
    const day = range.to.toString();
    if (was !== is || !round.sweep.found.verified.has(day)) continue;
    // What was not asked for follows from what was.
    return is + difference < 0
      ? 'the shop counts fewer orders in all than in a part'
      : `the shop's filter found ${counted(is + difference, 'order')} of ${day} where ${is} match`;
  }
  return undefined;
}

/** Sets a facet aside that still counts the same in all: else the shop was changed meanwhile. */
async function doubt(round: CountRound, facet: Facet, orders: number, reason: string): Promise<void> {
  const { ports, state } = round.sweep;
  const again = await round.asker.ask(facet, rangeOf(round.days), 0);
  if (again === orders)
    state.facetsAside = [...state.facetsAside, setAside(facet, 'wrong', reason, ports.now())];
}
