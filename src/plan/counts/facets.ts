/** What a shop is asked to count. */
import { type Facet, type HeldCount, SUM_STEPS } from '../../model/order-facets.ts';

const PAY_STATUSES = ['S', 'HP', 'FP'];
/** More changed orders are a mass edit. */
const MASS = 100;
const MAX_STATUSES = 24;
const MAX_AMOUNTS = 8;

/**
 * Some thirty facets at most: all that a shop may be asked for.
 *
 * @param statuses codes of orders that are documented or were seen; the most used ones are asked for
 */
export function chooseFacets(statuses: readonly string[], held: readonly HeldCount[]): readonly Facet[] {
  const use = (code: string) => countHeld({ by: 'status', code }, held);
  const codes = [...new Set(statuses)].toSorted((one, other) => use(other) - use(one));
  return [
    { by: 'all' },
    ...codes.slice(0, MAX_STATUSES).map((code) => ({ by: 'status', code }) as const),
    ...PAY_STATUSES.map((code) => ({ by: 'pay_status', code }) as const),
    ...chooseAmounts(held).map((amount) => ({ by: 'summ_from', amount }) as const),
  ];
}

/**
 * Those that tell all that these tell: where the codes of a field are those of all held orders, and all orders are counted,
 * a code without any follows from the others.
 */
export function withoutImplied(facets: readonly Facet[], held: readonly HeldCount[]): readonly Facet[] {
  if (!facets.some(({ by }) => by === 'all')) return facets;
  const all = countHeld({ by: 'all' }, held);
  const ofField = Map.groupBy(facets, ({ by }) => by);
  const isImplied = (facet: Facet) =>
    'code' in facet &&
    countHeld(facet, held) === 0 &&
    ofField.get(facet.by)?.reduce((sum, each) => sum + countHeld(each, held), 0) === all;
  return facets.filter((facet) => !isImplied(facet));
}

/** Amounts that divide the shop's own sums as evenly as can be. */
function chooseAmounts(held: readonly HeldCount[]): readonly number[] {
  const all = countHeld({ by: 'all' }, held);
  const above = SUM_STEPS.map((amount) => ({ amount, orders: countHeld({ by: 'summ_from', amount }, held) }));
  const dividing = above.filter(({ orders }) => orders > 0 && orders < all);
  const nearest = Array.from({ length: MAX_AMOUNTS }, (_, index) => {
    const wanted = (all * (index + 1)) / (MAX_AMOUNTS + 1);
    return dividing.toSorted(
      (one, other) => Math.abs(one.orders - wanted) - Math.abs(other.orders - wanted),
    )[0]?.amount;
  });
  return [...new Set(nearest.flatMap((amount) => amount ?? []))].toSorted((one, other) => one - other);
}

/** How many held orders a facet finds. */
export function countHeld(facet: Facet, held: readonly HeldCount[]): number {
  const found = held.filter(({ status, payStatus, steps }) => {
    if (facet.by === 'status') return status === facet.code;
    if (facet.by === 'pay_status') return payStatus === facet.code;
    return facet.by === 'summ_from' ? steps > SUM_STEPS.indexOf(facet.amount) : true;
  });
  return found.reduce((sum, { orders }) => sum + orders, 0);
}

/** A facet with how many orders the shop counts by it. */
export type CountedFacet = { readonly facet: Facet; readonly orders: number };

/** A facet whose count differs. */
export type DifferingFacet = CountedFacet & {
  /** Its field shows a mass edit: there is too much to look for each change. */
  readonly isOfMass: boolean;
};

/**
 * The first facet that differs and is not done: those of a field that shows a mass edit last.
 *
 * @param done names of facets, and of fields with a mass edit
 */
export function nextToFollow(
  counted: readonly CountedFacet[],
  held: readonly HeldCount[],
  done: ReadonlySet<string>,
): DifferingFacet | undefined {
  const differing = counted.map((each) => ({
    ...each,
    difference: each.orders - countHeld(each.facet, held),
  }));
  const edited = new Set(
    differing.filter(({ difference }) => Math.abs(difference) > MASS).map(({ facet }) => facet.by),
  );
  const [next] = differing
    .filter(({ difference, facet }) => difference !== 0 && !done.has(facetName(facet)) && !done.has(facet.by))
    .map(({ facet, orders }) => ({ facet, orders, isOfMass: edited.has(facet.by) }))
    .toSorted((one, other) => Number(one.isOfMass) - Number(other.isOfMass));
  return next;
}

/** The facet for people, and to remember it by, such as `status A`. */
export function facetName(facet: Facet): string {
  if (facet.by === 'all') return 'all orders';
  if (facet.by === 'summ_from') return `summ_from ${facet.amount}`;
  return `${facet.by} ${facet.code === '' ? "''" : facet.code}`;
}

/** A facet whose count led to nothing, or that was not counted: it is not asked for until then. */
export type FacetAside = {
  readonly facet: string;
  /** A sentence without its subject. */
  readonly reason: string;
  readonly until: Temporal.Instant;
};

/** What fails may soon be well again; what counts wrong does so for longer. */
const HOURS_ASIDE = { failed: 1, wrong: 24 };

export function setAside(
  facet: Facet,
  why: keyof typeof HOURS_ASIDE,
  reason: string,
  now: Temporal.Instant,
): FacetAside {
  return { facet: facetName(facet), reason, until: now.add({ hours: HOURS_ASIDE[why] }) };
}

/** Those that are not asked for now: none that a clock which ran ahead set aside. */
export function stillAside(aside: readonly FacetAside[], now: Temporal.Instant): readonly FacetAside[] {
  return aside.filter(({ until }) => {
    const hours = now.until(until).total('hours');
    return hours > 0 && hours <= HOURS_ASIDE.wrong;
  });
}
