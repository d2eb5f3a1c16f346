/** What a shop is asked to count. */
import { type Facet, type OrderCount, SUM_STEPS } from '../../model/order-facets.ts';
import { CODE_FORM } from '../../model/status-codes.ts';

const PAY_STATUSES = ['S', 'HP', 'FP'];
const MAX_STATUSES = 24;
const MAX_AMOUNTS = 8;
/** A status that holds a name is not sent to the shop, where it might be logged. */
const LOOKS_LIKE_CODE = new RegExp(CODE_FORM);

/**
 * At most some thirty facets. Codes without any order are not counted: an order that gets one is missing elsewhere, or one
 * more in all.
 *
 * @param counts live orders, grouped by what facets filter by
 */
export function chooseFacets(counts: readonly OrderCount[]): readonly Facet[] {
  const codes = (by: 'status' | 'pay_status', known: Iterable<string>) =>
    [...new Set(known)]
      .map((code) => ({ facet: { by, code } as const, orders: countMatching({ by, code }, counts) }))
      .filter(({ orders }) => orders > 0)
      .toSorted((one, other) => other.orders - one.orders)
      .map(({ facet }) => facet);
  const statuses = counts
    .map(({ status }) => status)
    .filter((code) => code === '' || LOOKS_LIKE_CODE.test(code));
  return [
    { by: 'all' },
    ...codes('status', statuses).slice(0, MAX_STATUSES),
    ...codes('pay_status', PAY_STATUSES),
    ...chooseAmounts(counts).map((amount) => ({ by: 'summ_from', amount }) as const),
  ];
}

/** Amounts that divide the shop's own sums as evenly as can be. */
function chooseAmounts(counts: readonly OrderCount[]): readonly number[] {
  const all = countMatching({ by: 'all' }, counts);
  const above = SUM_STEPS.map((amount) => ({
    amount,
    orders: countMatching({ by: 'summ_from', amount }, counts),
  }));
  const dividing = above.filter(({ orders }) => orders > 0 && orders < all);
  const nearest = Array.from({ length: MAX_AMOUNTS }, (_, index) => {
    const wanted = (all * (index + 1)) / (MAX_AMOUNTS + 1);
    return dividing.toSorted(
      (one, other) => Math.abs(one.orders - wanted) - Math.abs(other.orders - wanted),
    )[0]?.amount;
  });
  return [...new Set(nearest.flatMap((amount) => amount ?? []))].toSorted((one, other) => one - other);
}

/** How many counts orders a facet finds. */
export function countMatching(facet: Facet, counts: readonly OrderCount[]): number {
  const found = counts.filter(({ status, payStatus, steps }) => {
    if (facet.by === 'status') return status === facet.code;
    if (facet.by === 'pay_status') return payStatus === facet.code;
    return facet.by === 'summ_from' ? steps > SUM_STEPS.indexOf(facet.amount) : true;
  });
  return found.reduce((sum, { orders }) => sum + orders, 0);
}

/** The facet for people, and to remember it by, such as `status A`. */
export function facetName(facet: Facet): string {
  if (facet.by === 'all') return 'all orders';
  if (facet.by === 'summ_from') return `summ_from ${facet.amount}`;
  return `${facet.by} ${facet.code === '' ? "''" : facet.code}`;
}
