import { expect, test } from 'vitest';

import { type HeldCount, SUM_STEPS } from '../../../src/model/order-facets.ts';
import {
  chooseFacets,
  countHeld,
  facetName,
  nextToFollow,
  setAside,
  stillAside,
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

/** Names of what is followed, in turn, where nothing that is read explains it. */
function followed(counted: Parameters<typeof nextToFollow>[0]): readonly string[] {
  const done = new Set<string>();
  const names: string[] = [];
  for (;;) {
    const next = nextToFollow(counted, held, done);
    if (next === undefined) return names;
    const name = facetName(next.facet);
    done.add(name);
    if (next.isOfMass) done.add(next.facet.by);
    names.push(`${name}${next.isOfMass ? ', mass' : ''}`);
  }
}

test('what differs is followed in the order of the facets, and nothing twice', () => {
  const counted = [
    { facet: { by: 'all' }, orders: 898 },
    { facet: { by: 'status', code: 'A' }, orders: 501 },
    { facet: { by: 'status', code: 'C' }, orders: 390 },
    { facet: { by: 'pay_status', code: 'S' }, orders: 0 },
  ] as const;
  expect(followed(counted)).toEqual(['all orders', 'status A', 'status C']);
});

test('of a field with a mass edit one facet is followed, when the other fields were', () => {
  const counted = [
    { facet: { by: 'status', code: 'A' }, orders: 300 },
    { facet: { by: 'status', code: 'C' }, orders: 401 },
    { facet: { by: 'summ_from', amount: 100.5 }, orders: 790 },
  ] as const;
  expect(followed(counted)).toEqual(['summ_from 100.5', 'status A, mass']);
  const hundred = [{ facet: { by: 'status', code: 'A' }, orders: 400 }] as const;
  expect(followed(hundred), 'a hundred orders').toEqual(['status A']);
});

test('what counts wrong is not asked for during a day, and what fails during an hour, by whatever clock', () => {
  const now = Temporal.Instant.from('2026-03-10T12:00:00Z');
  const aside = [setAside({ by: 'status', code: 'A' }, 'wrong', 'counts 3 orders', now)];
  expect(aside).toMatchObject([{ facet: 'status A', reason: 'counts 3 orders' }]);
  expect(stillAside(aside, now.add({ hours: 23 }))).toEqual(aside);
  expect(stillAside(aside, now.add({ hours: 24 }))).toEqual([]);
  expect(stillAside(aside, now.subtract({ hours: 1 })), 'a clock that ran ahead').toEqual([]);
  const failed = [setAside({ by: 'all' }, 'failed', 'HTTP 500', now)];
  expect(stillAside(failed, now.add({ minutes: 59 }))).toEqual(failed);
  expect(stillAside(failed, now.add({ hours: 1 }))).toEqual([]);
});
