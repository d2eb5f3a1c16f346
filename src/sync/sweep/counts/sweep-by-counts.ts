import { countedDays, rangeOf } from '../../../plan/counts/counted-days.ts';
import { areCountsDue, countedNow, countRequestsAllowed } from '../../../plan/counts/count-pace.ts';
import {
  addDoubt,
  chooseFacets,
  clearDoubt,
  type CountedFacet,
  countHeld,
  facetName,
  nextToFollow,
  setAside,
  withoutImplied,
} from '../../../plan/counts/facets.ts';
import { readLedger } from '../../../warehouse/ops/ledger.ts';
import { countHeldOrders } from '../../../warehouse/orders/live-orders.ts';
import type { Facet, HeldCount } from '../../../order-facets.ts';
import type { Sweep } from '../../run/context.ts';
import { today } from '../../run/shop-day.ts';
import { CountAsker, type CountRound, followFacet } from './follow-facet.ts';

/**
 * Compares what the shop counts of its older days with what is held, some facets in each sweep, and reads the days that differ. Counts
 * make days due; what they are said to hold verifies none, and marks no order.
 *
 * @param onFailure as that of `sweepOrders`
 */
export async function sweepByCounts(sweep: Sweep, onFailure: CountRound['onFailure']): Promise<boolean> {
  const { ports, state } = sweep;
  const { api, db, lease, now, shop } = ports;
  const at = now();
  // Before the first load is complete, it finds all there is; and a total of another kind tells nothing.
  const isOfUse = state.completedAt !== undefined && state.profile.totalMeaning === 'matches';
  if (!isOfUse || !areCountsDue(state.counts, shop.countEveryMs, at)) return true;
  const ledger = await readLedger(db, lease.shopId);
  const days = countedDays(ledger, shop.freshness, shop.countEveryMs, today(ports), shop.historyFrom);
  if (days.length === 0) return true;
  const range = rangeOf(days);
  const { held, statuses } = await countHeldOrders(db, lease.shopId, range);
  const all = chooseFacets(statuses, held);
  const aside = setAside(state.facetDoubts, at).map(({ facet }) => facet);
  const asked = all.filter((facet) => !aside.includes(facetName(facet)));
  const inTurn = withoutImplied(asked, held);
  const facets = countedNow(inTurn, state.counts, shop.countEveryMs, at);
  if (facets.length === 0) return true;
  const pace = api.health.foundRps ?? api.health.maxRps;
  const allowed = countRequestsAllowed(state.counts, pace, at);
  if (allowed < facets.length) return true;
  const asker = new CountAsker(ports, allowed);
  const round = {
    sweep,
    onFailure,
    asker,
    days,
    followed: new Set<string>(),
    edited: new Set<Facet['by']>(),
    tested: new Set<string>(),
    read: new Set<number>(),
  };
  const counted = await countFacets(round, facets, held);
  const isFinished = await followAll(round, counted, held);
  const orders = countHeld({ by: 'all' }, held);
  const names = new Set(all.map(facetName));
  state.facetDoubts = state.facetDoubts.filter(({ facet }) => names.has(facet));
  state.counts = { at, through: range.to, orders, facets: inTurn.length, requestsLeft: asker.left };
  const figures = { facets: counted.length, days_read: round.read.size };
  ports.logger.debug({ shop: shop.shopKey, ...figures }, 'orders counted');
  return isFinished;
}

/** What the shop counts of all days; facets without an answer are left out. */
async function countFacets(
  { asker, days, sweep }: CountRound,
  facets: readonly Facet[],
  held: readonly HeldCount[],
): Promise<readonly CountedFacet[]> {
  const { ports, state } = sweep;
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const asked = await Promise.all(
    facets.map(async (facet) => {
      const answer = await asker.ask(facet, first, last, countHeld(facet, held) > 0);
      const name = facetName(facet);
      if (answer.orders !== undefined) {
        if (answer.orders === countHeld(facet, held)) state.facetDoubts = clearDoubt(state.facetDoubts, name);
        return [{ facet, orders: answer.orders }];
      }
      if (answer.reason !== undefined) {
        const reason = `could not be counted: ${answer.reason}`;
        state.facetDoubts = addDoubt(state.facetDoubts, name, reason, ports.now());
      }
      return [];
    }),
  );
  return asked.flat();
}

/** Follows one facet after the other: the days that one of them leads to explain what others count as well. */
async function followAll(
  round: CountRound,
  counted: readonly CountedFacet[],
  before: readonly HeldCount[],
): Promise<boolean> {
  const { db, lease } = round.sweep.ports;
  let held = before;
  for (;;) {
    const next = nextToFollow(counted, held, round);
    if (next === undefined || round.asker.isDone) return true;
    const read = round.read.size;
    if (!round.sweep.ports.mayAsk() || !(await followFacet(round, next))) return false;
    if (round.read.size > read) ({ held } = await countHeldOrders(db, lease.shopId, rangeOf(round.days)));
  }
}
