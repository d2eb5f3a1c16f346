import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { daysToFind, halve, newerHalf, type Stretch } from '../../../src/plan/counts/halving.ts';

const DAYS = 1_826;

/** What a shop that counts right leads to. @param differences by place; days without one are left out */
function descend(differences: ReadonlyMap<number, number>, days: number, isOfMass = false) {
  const sum = ({ first, last }: Pick<Stretch, 'first' | 'last'>) =>
    [...differences].reduce(
      (total, [place, count]) => total + (place >= first && place <= last ? count : 0),
      0,
    );
  const whole = { first: 0, last: days - 1 };
  const difference = sum(whole);
  let stretches: readonly Stretch[] = difference === 0 ? [] : [{ ...whole, difference }];
  let [counts, rounds] = [0, 0];
  while (stretches.some(({ first, last }) => first < last)) {
    rounds++;
    const newer = stretches.map((stretch) => {
      const half = newerHalf(stretch);
      if (half === undefined) return undefined;
      counts++;
      return sum(half);
    });
    stretches = halve(stretches, newer, daysToFind(isOfMass));
  }
  return { found: stretches.map(({ first, difference }) => [first, difference] as const), counts, rounds };
}

const place = fc.nat(DAYS - 1);

test('orders that came, or went, are all found by at most one count a halving for each day, newest first', () => {
  const changes = fc.uniqueArray(place, { minLength: 1, maxLength: 60 });
  const sign = fc.constantFrom(1, -1);
  fc.assert(
    fc.property(changes, sign, (places, change) => {
      const { found, counts, rounds } = descend(new Map(places.map((each) => [each, change])), DAYS);
      const newestFirst = places.toSorted((one, other) => other - one);
      expect(found).toEqual(newestFirst.map((each) => [each, change]));
      expect(rounds).toBeLessThanOrEqual(Math.ceil(Math.log2(DAYS)));
      expect(counts).toBeLessThanOrEqual(places.length * Math.ceil(Math.log2(DAYS)));
    }),
  );
});

test('whatever changed, each day that is found differs, by as much as it is said to, and together they explain the whole', () => {
  const changes = fc.uniqueArray(fc.tuple(place, fc.integer({ min: -3, max: 3 })), {
    selector: ([at]) => at,
    maxLength: 30,
  });
  let misses = 0;
  fc.assert(
    fc.property(changes, (given) => {
      const differences = new Map(given.filter(([, count]) => count !== 0));
      const whole = [...differences.values()].reduce((total, count) => total + count, 0);
      const { found, counts } = descend(differences, DAYS);
      expect(found.every(([at, count]) => differences.get(at) === count)).toBe(true);
      expect(found.reduce((total, [, count]) => total + count, 0)).toBe(whole);
      expect(counts).toBeLessThanOrEqual(differences.size * Math.ceil(Math.log2(DAYS)));
      misses += Number(found.length < differences.size);
    }),
  );
  // Those that cancel each other out within a stretch are left to other facets, and to the policy.
  expect(misses).toBeGreaterThan(0);
});

test('two changes that cancel each other out are not found, on one day or on two', () => {
  expect(descend(new Map([[7, 0]]), DAYS).found).toEqual([]);
  expect(
    descend(
      new Map([
        [7, 1],
        [900, -1],
      ]),
      DAYS,
    ).found,
  ).toEqual([]);
});

test('of a mass edit the newest day is found', () => {
  const everyDay = Array.from({ length: DAYS }, (_, at) => [at, 2] as const);
  expect(descend(new Map(everyDay), DAYS, true)).toEqual({ found: [[DAYS - 1, 2]], counts: 10, rounds: 10 });
});

test('a single day has no half, and stays', () => {
  const day = { first: 3, last: 3, difference: 2 };
  expect(newerHalf(day)).toBeUndefined();
  expect(halve([day], [undefined], 9)).toEqual([day]);
});
