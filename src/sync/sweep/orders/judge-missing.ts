import { counted } from '../../../model/amount-text.ts';
import { nextStep } from '../../../model/next-step.ts';
import { judgeUnlisted, mayMarkMissing, type UnlistedVerdict } from '../../../plan/orders/unlisted.ts';
import type { StoredOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';

/** What happens to stored orders that a proven list lacks. */
export type MissingVerdicts = {
  /** Those that are missing from now on, and those that are deleted. */
  readonly gone: readonly StoredOrder[];
  /** Not known to be gone: each holds up its own day, and no other. */
  readonly unresolved: readonly StoredOrder[];
  /** Identifiers of orders by the mark that they are to get. */
  readonly marks: Readonly<Record<'missing' | 'deleted' | 'unresolved', readonly string[]>>;
  /** Why days are not proven after all. */
  readonly reason: string | undefined;
  /** So many orders disappeared that it looks like a fault: none is marked, and the list is not believed at all. */
  readonly isRefused: boolean;
};

/**
 * Asks the shop about each order that its list omitted, since an incomplete list looks like a deletion, and counts those that are gone.
 *
 * @param unlisted orders that are not deleted
 * @param among number of live orders to compare the omitted ones with
 */
export async function judgeMissing(
  { ports, state: { counters } }: Sweep,
  unlisted: readonly StoredOrder[],
  among: number,
): Promise<MissingVerdicts> {
  const { acceptsMissing, now, questions, shop, signal } = ports;
  const live = unlisted.filter((order) => !order.isMarked).length;
  if (!acceptsMissing && !mayMarkMissing(among, live)) {
    const marks = { missing: [], deleted: [], unresolved: [] };
    const reason = describeDisappearance(live, among, shop.shopKey);
    return { gone: [], unresolved: [], marks, reason, isRefused: true };
  }
  const judged = await Promise.all(
    unlisted.map(async (order) => {
      const { unresolvedMs, missingSince, orderId } = order;
      const presence = missingSince === null ? await questions.presence(orderId, signal) : 'unknown';
      const verdict = judgeUnlisted(missingSince, unresolvedMs, presence, acceptsMissing, now());
      return { order, presence, verdict };
    }),
  );
  const ordersWith = (wanted: UnlistedVerdict) =>
    judged.flatMap(({ order, verdict }) => (verdict === wanted ? [order] : []));
  const [missing, deleted, unresolved] = [ordersWith('mark'), ordersWith('delete'), ordersWith('unresolved')];
  const unclear = judged.filter(
    ({ presence, verdict }) => verdict === 'unresolved' && presence === 'unknown',
  ).length;
  const reason =
    unresolved.length === 0 ? undefined : describeUnresolved(unresolved.length, unclear, shop.shopKey);
  const gone = [...missing, ...deleted];
  if (gone.length > 0) counters.hasWritten = true;
  counters.orders_missing += missing.length;
  const idsOf = (orders: readonly StoredOrder[]) => orders.map(({ orderId }) => orderId);
  const marks = { missing: idsOf(missing), deleted: idsOf(deleted), unresolved: idsOf(unresolved) };
  return { gone, unresolved, marks, reason, isRefused: false };
}

function describeUnresolved(unresolved: number, unclear: number, shop: string): string {
  const [were, their, they] =
    unresolved === 1 ? ['was', 'its', 'it counts'] : ['were', 'their', 'they count'];
  const answer =
    unclear === 0 ? `still serves ${their} contents` : `gave no clear answer about ${unclear} of them`;
  return (
    `${counted(unresolved, 'order')} ${were} not listed, but the shop ${answer}; ${they} as missing if this lasts a day, or after ` +
    nextStep('accept deletions', { shop })
  );
}

function describeDisappearance(missing: number, live: number, shop: string): string {
  return (
    `${missing} of ${live} orders disappeared from the shop's list at once, which looks like a fault of the shop: ` +
    'none was marked as missing, and the days stay due; if they were really deleted, run ' +
    nextStep('accept deletions', { shop })
  );
}
