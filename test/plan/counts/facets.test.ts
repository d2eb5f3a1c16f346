import { expect, test } from 'vitest';

import { type Facet, type HeldCount, SUM_STEPS } from '../../../src/order-facets.ts';
import {
  chooseFacets,
  countHeld,
  facetName,
  nextToFollow,
  withoutImplied,
} from '../../../src/plan/counts/facets.ts';

/** One order for each sum. */
const sums = (...amounts: readonly number[]): readonly HeldCount[] =>
  amounts.map((amount) => ({
    status: amount > 500 ? 'C' : 'A',
    payStatus: 'FP',
    steps: SUM_STEPS.filter((step) => step <= amount).length,
    orders: 1,
  }));

const held = sums(...Array.from({ length: 900 }, (_, index) => index + 1));

test('amounts ascend, and no sum of whole units is one of them', () => {
  expect(SUM_STEPS).toEqual(SUM_STEPS.toSorted((one, other) => one - other));
  expect(SUM_STEPS.filter((amount) => Number.isInteger(amount))).toEqual([]);
});

test('all orders, each status, each payment status and a few amounts that divide the sums are counted', () => {
  const names = chooseFacets(['', 'A', 'C', 'U'], held).map(facetName);
  expect(names).toEqual([
    'all orders',
    'status A',
    'status C',
    "status ''",
    'status U',
    'pay_status S',
    'pay_status HP',
    'pay_status FP',
    'summ_from 100.5',
    'summ_from 200.5',
    'summ_from 300.5',
    'summ_from 400.5',
    'summ_from 500.5',
    'summ_from 700.5',
  ]);
});

const names = (codes: readonly string[], without?: string) => {
  const facets = chooseFacets(codes, held).filter((facet) => facetName(facet) !== without);
  return withoutImplied(facets, held)
    .map(facetName)
    .filter((name) => !name.startsWith('summ'));
};

test('a code without orders follows from the others, where these are those of all orders', () => {
  expect(names(['', 'A', 'C', 'U'])).toEqual(['all orders', 'status A', 'status C', 'pay_status FP']);
  // An order may move from a code that is not counted to one that has none.
  expect(names(['', 'C', 'U'])).toEqual(['all orders', 'status C', "status ''", 'status U', 'pay_status FP']);
  expect(names(['', 'A', 'C'], 'status A')).toEqual(['all orders', 'status C', "status ''", 'pay_status FP']);
  expect(names(['', 'A'], 'all orders')).toEqual([
    'status A',
    "status ''",
    'pay_status S',
    'pay_status HP',
    'pay_status FP',
  ]);
});

test('of few orders a code with one is counted, and no amount that all of them, or none, have', () => {
  const few = sums(1, 2, 900);
  const facets = withoutImplied(chooseFacets(['', 'A', 'C'], few), few).map(facetName);
  expect(facets.filter((name) => name.startsWith('status'))).toEqual(['status A', 'status C']);
  const amounts = (given: readonly HeldCount[]) =>
    chooseFacets([], given).flatMap((facet) => (facet.by === 'summ_from' ? [facet.amount] : []));
  expect(amounts(few).filter((amount) => amount < 1 || amount > 900)).toEqual([]);
  expect(amounts(few)).not.toEqual([]);
  expect(amounts(sums(5, 5))).toEqual([]);
  expect(amounts(sums(50, 900, 900)).filter((amount) => amount < 50)).toEqual([]);
});

test('a shop with a hundred codes of its own is asked for the most used ones', () => {
  const codes = Array.from({ length: 100 }, (_, index) => `X${index}`);
  const facets = chooseFacets([...codes, 'A', 'C'], held);
  expect(facets).toHaveLength(1 + 24 + 3 + 6);
  expect(facets.map(facetName).slice(1, 3)).toEqual(['status A', 'status C']);
});

test('what is held is counted by each facet', () => {
  expect(countHeld({ by: 'all' }, held)).toBe(900);
  expect(countHeld({ by: 'status', code: 'C' }, held)).toBe(400);
  expect(countHeld({ by: 'pay_status', code: 'S' }, held)).toBe(0);
  expect(countHeld({ by: 'summ_from', amount: 700.5 }, held)).toBe(200);
});

test('missing orders are followed first, then what differs most, mass edits of any field last, and nothing twice', () => {
  const counted = [
    { facet: { by: 'status', code: 'A' }, orders: 501 },
    { facet: { by: 'status', code: 'C' }, orders: 390 },
    { facet: { by: 'pay_status', code: 'FP' }, orders: 100 },
    { facet: { by: 'pay_status', code: 'S' }, orders: 0 },
    { facet: { by: 'all' }, orders: 898 },
  ] as const;
  const followed = new Set<string>();
  const order = counted.map(() => {
    const next = nextToFollow(counted, held, { followed, edited: new Set() });
    const name = next && facetName(next.facet);
    if (name !== undefined) followed.add(name);
    return name && `${name}${next.isOfMass ? ', mass' : ''}`;
  });
  expect(order).toEqual(['all orders', 'status C', 'status A', 'pay_status FP, mass', undefined]);
});

test('an order that left one status for another is one change, however many statuses it is seen by', () => {
  const next = (change: number, edited: readonly Facet['by'][] = []) =>
    nextToFollow(
      [
        { facet: { by: 'status', code: 'A' }, orders: 500 - change },
        { facet: { by: 'status', code: 'C' }, orders: 400 + change - 60 },
        { facet: { by: 'status', code: 'D' }, orders: 60 },
      ],
      held,
      { followed: new Set(), edited: new Set(edited) },
    );
  expect(next(100)?.isOfMass).toBe(false);
  expect(next(101)?.isOfMass).toBe(true);
  expect(next(101, ['status'])).toBeUndefined();
});

/** Whether it is taken for a mass edit that the codes, or amounts, of one field differ by so many orders each. */
function isMass(by: 'status' | 'summ_from', ...differences: readonly number[]): boolean | undefined {
  const [facets, known] =
    by === 'status'
      ? [
          differences.map((_, index): Facet => ({ by, code: `${index}` })),
          differences.map((_, index) => ({ status: `${index}`, payStatus: 'FP', steps: 0, orders: 200 })),
        ]
      : [differences.map((_, index): Facet => ({ by, amount: SUM_STEPS[index] ?? 0 })), held];
  const counted = facets.map((facet, index) => ({
    facet,
    orders: countHeld(facet, known) + (differences[index] ?? 0),
  }));
  return nextToFollow(counted, known, { followed: new Set(), edited: new Set() })?.isOfMass;
}

test('of what one field shows, as many orders differ as came to its codes, or left them', () => {
  expect(isMass('status', 60, 41)).toBe(true);
  expect(isMass('status', 70, -70)).toBe(false);
  expect(isMass('status', 120, -50)).toBe(true);
  expect(isMass('status', 50, -120)).toBe(true);
  expect(isMass('status', -60, -41)).toBe(true);
});

test('an order above an amount is above those below it, and is counted once', () => {
  expect(isMass('summ_from', 60, 60, 60)).toBe(false);
  expect(isMass('summ_from', -20, -101, 5)).toBe(true);
  expect(isMass('summ_from', 101)).toBe(true);
});
