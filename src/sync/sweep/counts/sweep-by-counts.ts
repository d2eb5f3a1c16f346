import { type CountedDay, countedDays, rangeOf } from '../../../plan/counts/counted-days.ts';
import { countedNow, countRequestsAllowed } from '../../../plan/counts/count-pace.ts';
import { chooseFacets, countHeld, facetName } from '../../../plan/counts/facets.ts';
import { MOST_HOURS_ASIDE, readSetAside, type SetAside, setAside } from '../../../warehouse/ops/due.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { readLedger } from '../../../warehouse/ops/ledger.ts';
import { countHeldOrders } from '../../../warehouse/orders/live-orders.ts';
import type { Facet, HeldCount } from '../../../model/order-facets.ts';
import type { Sweep } from '../../run/context.ts';
import { today } from '../../run/shop-day.ts';
import { CountAsker } from './count-asker.ts';
import { type CountRound, followFacet } from './follow-facet.ts';

/** What fails may soon be well again; what counts wrong does so for longer. */
const HOURS_FAILED = 1;
const HOURS_WRONG = MOST_HOURS_ASIDE;

/**
 * Compares what the shop counts of its older days with what is held, some facets in each sweep, and reads the days that differ. Counts
 * make days due; what they are said to hold verifies none, and marks no order. A facet that cannot be counted, or led to a day without
 * a difference, is set aside for a day.
 *
 * @param onFailure as that of `sweepOrders`
 */
export async function sweepByCounts(sweep: Sweep, onFailure: CountRound['onFailure']): Promise<boolean> {
  const { ports, state } = sweep;
  const { api, db, lease, logger, now, shop } = ports;
  const at = now();
  // Before the first load is complete, it finds all there is; and a total of another kind tells nothing.
  const isOfUse = state.completedAt !== undefined && state.profile.totalMeaning === 'matches';
  if (!isOfUse || shop.countEveryMs === 0) return true;
  const ledger = await readLedger(db, lease.shopId, at);
  const days = countedDays(ledger, shop.freshness, shop.countEveryMs, today(ports), shop.historyFrom);
  if (days.length === 0) return true;
  const range = rangeOf(days);
  const held = await countHeldOrders(db, lease.shopId, range);
  const aside = new Set((await readSetAside(db, [lease.shopId], at)).map(({ facet }) => facet));
  const asked = chooseFacets(held).filter((facet) => !aside.has(facetName(facet)));
  const facets = countedNow(asked, state.counts, shop.countEveryMs, at);
  const allowed = countRequestsAllowed(state.counts, api.health.foundRps ?? api.health.maxRps, at);
  if (facets.length === 0 || allowed < facets.length) return true;
  const round = {
    sweep,
    onFailure,
    asker: new CountAsker(ports, allowed),
    days,
    read: new Set<CountedDay>(),
  };
  const isFinished = await compare(round, facets, held);
  const orders = countHeld({ by: 'all' }, held);
  state.counts = { at, through: range.to, orders, facets: asked.length, requestsLeft: round.asker.left };
  logger.debug({ shop: shop.shopKey, facets: facets.length, days_read: round.read.size }, 'orders counted');
  return isFinished;
}

/** @returns whether the time budget allowed it */
async function compare(
  round: CountRound,
  facets: readonly Facet[],
  before: readonly HeldCount[],
): Promise<boolean> {
  const { asker, days, sweep } = round;
  const { db, lease, mayAsk, now } = sweep.ports;
  const range = rangeOf(days);
  const counts = await Promise.all(facets.map((facet) => asker.ask(facet, range)));
  const doubts: Omit<SetAside, 'shop_id'>[] = [];
  const doubt = (facet: Facet, reason: string, hours: number) =>
    doubts.push({ facet: facetName(facet), reason, until: now().add({ hours }) });
  let [held, isFinished] = [before, true];
  for (const [index, facet] of facets.entries()) {
    const orders = counts[index];
    if (orders === undefined || orders === countHeld(facet, held) || asker.isDone) continue;
    isFinished = mayAsk();
    if (!isFinished) break;
    const followed = await followFacet(round, facet, orders);
    const { wrongDay } = followed;
    // Where the shop counts otherwise by now, it was changed meanwhile.
    if (wrongDay !== undefined && (await asker.ask(facet, range)) === orders)
      doubt(facet, `its count led to ${wrongDay}, where nothing differs`, HOURS_WRONG);
    isFinished = followed.isFinished;
    if (!isFinished) break;
    // What these days explain needs no look by another facet.
    held = await countHeldOrders(db, lease.shopId, range);
  }
  for (const [facet, reason] of asker.failures) doubt(facet, `could not be counted: ${reason}`, HOURS_FAILED);
  if (doubts.length > 0) await fenced(db, lease, (tx) => setAside(tx, lease.shopId, doubts, now()));
  return isFinished;
}
