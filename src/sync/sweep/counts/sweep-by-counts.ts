import { countedDays, rangeOf } from '../../../plan/counts/counted-days.ts';
import { countedNow, countRequestsAllowed } from '../../../plan/counts/count-pace.ts';
import {
  chooseFacets,
  type CountedFacet,
  countHeld,
  facetName,
  nextToFollow,
  setAside,
  stillAside,
  withoutImplied,
} from '../../../plan/counts/facets.ts';
import { readLedger } from '../../../warehouse/ops/ledger.ts';
import { countHeldOrders } from '../../../warehouse/orders/live-orders.ts';
import type { Facet, HeldCount } from '../../../model/order-facets.ts';
import type { Sweep } from '../../run/context.ts';
import { today } from '../../run/shop-day.ts';
import { CountAsker } from './count-asker.ts';
import { type CountRound, followFacet } from './follow-facet.ts';

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
  if (!isOfUse || shop.countEveryMs === 0) return true;
  const ledger = await readLedger(db, lease.shopId, at);
  const days = countedDays(ledger, shop.freshness, shop.countEveryMs, today(ports), shop.historyFrom);
  if (days.length === 0) return true;
  const range = rangeOf(days);
  const { held, statuses } = await countHeldOrders(db, lease.shopId, range);
  state.facetsAside = stillAside(state.facetsAside, at);
  const aside = new Set(state.facetsAside.map(({ facet }) => facet));
  const asked = chooseFacets(statuses, held).filter((facet) => !aside.has(facetName(facet)));
  const inTurn = withoutImplied(asked, held);
  const facets = countedNow(inTurn, state.counts, shop.countEveryMs, at);
  const allowed = countRequestsAllowed(state.counts, api.health.foundRps ?? api.health.maxRps, at);
  if (facets.length === 0 || allowed < facets.length) return true;
  const asker = new CountAsker(ports, allowed, (facet, reason) => {
    state.facetsAside = [
      ...state.facetsAside,
      setAside(facet, 'failed', `could not be counted: ${reason}`, now()),
    ];
  });
  const round = { sweep, onFailure, asker, days, done: new Set<string>(), read: new Set<number>() };
  const counted = await countFacets(round, facets, held);
  const isFinished = await followAll(round, counted, held);
  const orders = countHeld({ by: 'all' }, held);
  state.counts = { at, through: range.to, orders, facets: inTurn.length, requestsLeft: asker.left };
  const figures = { facets: counted.length, days_read: round.read.size };
  ports.logger.debug({ shop: shop.shopKey, ...figures }, 'orders counted');
  return isFinished;
}

/** What the shop counts of all days; facets without an answer are left out. */
async function countFacets(
  { asker, days }: CountRound,
  facets: readonly Facet[],
  held: readonly HeldCount[],
): Promise<readonly CountedFacet[]> {
  const counted = await Promise.all(
    facets.map(async (facet) => {
      const orders = await asker.ask(facet, rangeOf(days), countHeld(facet, held));
      return orders === undefined ? [] : [{ facet, orders }];
    }),
  );
  return counted.flat();
}

/** Follows one facet after the other: the days that one of them leads to explain what others count as well. */
async function followAll(
  round: CountRound,
  counted: readonly CountedFacet[],
  before: readonly HeldCount[],
): Promise<boolean> {
  const { db, lease, mayAsk } = round.sweep.ports;
  let held = before;
  for (;;) {
    const next = nextToFollow(counted, held, round.done);
    if (next === undefined || round.asker.isDone) return true;
    if (!mayAsk() || !(await followFacet(round, next))) return false;
    ({ held } = await countHeldOrders(db, lease.shopId, rangeOf(round.days)));
  }
}
