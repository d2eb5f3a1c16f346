/** What a shop is asked to count. */
import { type Facet, type HeldCount, SUM_STEPS } from '../../order-facets.ts';

const PAY_STATUSES = ['S', 'HP', 'FP'];
/** More changed orders are a mass edit. */
const MASS = 100;
const MAX_STATUSES = 24;
const MAX_AMOUNTS = 8;

export const MOST_FACETS = 1 + MAX_STATUSES + PAY_STATUSES.length + MAX_AMOUNTS;

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
  const all = countHeld({ by: 'all' }, held);
  const isAllCounted = facets.some(({ by }) => by === 'all');
  const isImplied = (field: Facet['by']) => {
    const orders = facets.reduce((sum, facet) => sum + (facet.by === field ? countHeld(facet, held) : 0), 0);
    return isAllCounted && orders === all;
  };
  const implied = (['status', 'pay_status'] as const).filter(isImplied);
  return facets.filter((facet) => !implied.some((by) => by === facet.by) || countHeld(facet, held) > 0);
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

/** The facet to follow next: what differs in the number of all orders first, then what differs most, and mass edits last. */
export function nextToFollow(
  counted: readonly CountedFacet[],
  held: readonly HeldCount[],
  { followed, edited }: { readonly followed: ReadonlySet<string>; readonly edited: ReadonlySet<Facet['by']> },
): DifferingFacet | undefined {
  const differing = counted
    .map((each) => ({ ...each, difference: each.orders - countHeld(each.facet, held) }))
    .filter(({ difference }) => difference !== 0);
  const changes = new Map(
    [...Map.groupBy(differing, ({ facet }) => facet.by)].map(([by, each]) => [by, changesOf(each)]),
  );
  const isOfMass = ({ facet }: CountedFacet) => (changes.get(facet.by) ?? 0) > MASS;
  const rank = (each: (typeof differing)[number]) => {
    if (isOfMass(each)) return 1;
    return each.facet.by === 'all' ? -Infinity : -Math.abs(each.difference);
  };
  const [next] = differing
    .filter(({ facet }) => !followed.has(facetName(facet)) && !edited.has(facet.by))
    .toSorted((one, other) => rank(one) - rank(other));
  return next && { facet: next.facet, orders: next.orders, isOfMass: isOfMass(next) };
}

/** How many orders the facets of one field show to differ, at least: one that left a code for another is counted by both. */
function changesOf(facets: readonly (CountedFacet & { readonly difference: number })[]): number {
  const sizes = facets.map(({ difference }) => difference);
  // What is above an amount is above those below it, too.
  if (facets.some(({ facet }) => facet.by === 'summ_from')) return Math.max(...sizes.map(Math.abs));
  const sum = (of: readonly number[]) => of.reduce((all, size) => all + size, 0);
  return Math.max(sum(sizes.filter((size) => size > 0)), -sum(sizes.filter((size) => size < 0)));
}

/** The facet for people, and to remember it by, such as `status A`. */
export function facetName(facet: Facet): string {
  if (facet.by === 'all') return 'all orders';
  if (facet.by === 'summ_from') return `summ_from ${facet.amount}`;
  return `${facet.by} ${facet.code === '' ? "''" : facet.code}`;
}

/** A facet that is not asked for, or was wrong once. */
export type Doubt = {
  readonly facet: string;
  /** How often in a row its counts were wrong. */
  readonly times: number;
  /** A sentence without its subject. */
  readonly reason: string;
  /** It is asked for again then. */
  readonly until: Temporal.Instant;
};

const HOUR_MS = 3_600_000;
/** As often as audits. */
const MAX_ASIDE_MS = 7 * 24 * HOUR_MS;
const FACTOR = 6;

/** Facets that are not asked for now. A single contradiction may be a change that was made meanwhile. */
export function setAside(doubts: readonly Doubt[], now: Temporal.Instant): readonly Doubt[] {
  return doubts.filter(({ until }) => Temporal.Instant.compare(now, until) < 0);
}

/** @returns the doubts with one more; an hour from the second in a row on, and longer each time, up to a week */
export function addDoubt(
  doubts: readonly Doubt[],
  facet: string,
  reason: string,
  now: Temporal.Instant,
): readonly Doubt[] {
  const times = (doubts.find((doubt) => doubt.facet === facet)?.times ?? 0) + 1;
  const asideMs = times === 1 ? 0 : Math.min(MAX_ASIDE_MS, HOUR_MS * FACTOR ** (times - 2));
  const until = now.add({ milliseconds: Math.round(asideMs) });
  return [...clearDoubt(doubts, facet), { facet, times, reason, until }];
}

/** All that is set aside is asked for again, as after an audit; it is set aside for longer if it is still wrong. */
export function askAgain(doubts: readonly Doubt[], now: Temporal.Instant): readonly Doubt[] {
  return doubts.map((doubt) =>
    Temporal.Instant.compare(now, doubt.until) < 0 ? { ...doubt, until: now } : doubt,
  );
}

export function clearDoubt(doubts: readonly Doubt[], facet: string): readonly Doubt[] {
  return doubts.filter((doubt) => doubt.facet !== facet);
}
