import { expect, test } from 'vitest';

import { type OrderCount, SUM_STEPS } from '../../../src/model/order-facets.ts';
import { chooseFacets, countMatching, facetName } from '../../../src/plan/counts/facets.ts';

/** One order for each sum. */
const sums = (...amounts: readonly number[]): readonly OrderCount[] =>
  amounts.map((amount) => ({
    status: amount > 500 ? 'C' : 'A',
    payStatus: 'FP',
    steps: SUM_STEPS.filter((step) => step <= amount).length,
    orders: 1,
  }));

const counts = sums(...Array.from({ length: 900 }, (_, index) => index + 1));

test('amounts ascend, and no sum of whole units is one of them', () => {
  expect(SUM_STEPS).toEqual(SUM_STEPS.toSorted((one, other) => one - other));
  expect(SUM_STEPS.filter((amount) => Number.isInteger(amount))).toEqual([]);
});

test('all orders, each status and payment status of an order, and a few amounts that divide the sums are counted', () => {
  expect(chooseFacets(counts).map(facetName)).toEqual([
    'all orders',
    'status A',
    'status C',
    'pay_status FP',
    'summ_from 100.5',
    'summ_from 200.5',
    'summ_from 300.5',
    'summ_from 400.5',
    'summ_from 500.5',
    'summ_from 700.5',
  ]);
});

test('an amount that all orders exceed, or none, is not counted', () => {
  const few = sums(1, 2, 900);
  const amounts = (given: readonly OrderCount[]) =>
    chooseFacets(given).flatMap((facet) => (facet.by === 'summ_from' ? [facet.amount] : []));
  expect(amounts(few).filter((amount) => amount < 1 || amount > 900)).toEqual([]);
  expect(amounts(few)).not.toEqual([]);
  expect(amounts(sums(5, 5))).toEqual([]);
  expect(amounts(sums(50, 900, 900)).filter((amount) => amount < 50)).toEqual([]);
});

test('of a hundred own codes the most used ones are counted, and none that looks like a name', () => {
  const more = ['Anna Berg', '', ...Array.from({ length: 100 }, (_, index) => `X${index}`)].map((status) => {
    return { status, payStatus: 'S', steps: 0, orders: status === 'Anna Berg' ? 90 : 2 };
  });
  const statuses = chooseFacets([...more, ...counts])
    .map(facetName)
    .filter((name) => name.startsWith('status'));
  expect(statuses).toHaveLength(24);
  expect(statuses.slice(0, 3)).toEqual(['status A', 'status C', "status ''"]);
});

test('each facet counts the stored orders that it finds', () => {
  expect(countMatching({ by: 'all' }, counts)).toBe(900);
  expect(countMatching({ by: 'status', code: 'C' }, counts)).toBe(400);
  expect(countMatching({ by: 'pay_status', code: 'S' }, counts)).toBe(0);
  expect(countMatching({ by: 'summ_from', amount: 700.5 }, counts)).toBe(200);
});
