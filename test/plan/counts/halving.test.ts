import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { differingDays } from '../../../src/plan/counts/halving.ts';

const DAYS = 1_826;
const ALL = Array.from({ length: DAYS }, (_, place) => place);

/** What a shop that counts right leads to. @param differences by place; days without one are left out */
async function descend(differences: ReadonlyMap<number, number>, most = Infinity, failsAt = Infinity) {
  const sum = (places: readonly number[]) =>
    places.reduce((total, place) => total + (differences.get(place) ?? 0), 0);
  let counts = 0;
  const count = async (part: readonly number[]) =>
    Promise.resolve(++counts >= failsAt ? undefined : sum(part));
  const found: number[] = [];
  for await (const place of differingDays(ALL, sum(ALL), count)) {
    found.push(place);
    if (found.length === most) break;
  }
  return { found, counts };
}

const place = fc.nat(DAYS - 1);
const ROUNDS = Math.ceil(Math.log2(DAYS));

test('all days with added or removed orders are found, newest first, with at most one count per halving and day', async () => {
  const changes = fc.uniqueArray(place, { minLength: 1, maxLength: 60 });
  const sign = fc.constantFrom(1, -1);
  await fc.assert(
    fc.asyncProperty(changes, sign, async (places, change) => {
      const { found, counts } = await descend(new Map(places.map((each) => [each, change])));
      const newestFirst = places.toSorted((one, other) => other - one);
      expect(found).toEqual(newestFirst);
      expect(counts).toBeLessThanOrEqual(places.length * ROUNDS);
    }),
  );
});

test('every day that is found differs', async () => {
  const changes = fc.uniqueArray(fc.tuple(place, fc.integer({ min: -3, max: 3 })), {
    selector: ([at]) => at,
    maxLength: 30,
  });
  let misses = 0;
  await fc.assert(
    fc.asyncProperty(changes, async (given) => {
      const differences = new Map(given.filter(([, count]) => count !== 0));
      const { found, counts } = await descend(differences);
      expect(found.filter((at) => !differences.has(at))).toEqual([]);
      expect(counts).toBeLessThanOrEqual(differences.size * ROUNDS);
      misses += Number(found.length < differences.size);
    }),
  );
  // Those that cancel each other out within a stretch are left to other facets, and to the policy.
  expect(misses).toBeGreaterThan(0);
});

test('two changes that cancel each other out are not found, on one day or on two', async () => {
  expect((await descend(new Map([[7, 0]]))).found).toEqual([]);
  const two = new Map([
    [7, 1],
    [900, -1],
  ]);
  expect((await descend(two)).found).toEqual([]);
});

test('days are searched only as they are taken: the newest of many takes one count per halving', async () => {
  const everyDay = new Map(Array.from({ length: DAYS }, (_, at) => [at, 2] as const));
  expect(await descend(everyDay, 1)).toEqual({ found: [DAYS - 1], counts: 10 });
});

test('where a count fails, the search ends with what was found', async () => {
  const three = new Map([
    [3, 1],
    [900, 1],
    [DAYS - 1, 1],
  ]);
  expect((await descend(three, Infinity, 12)).found).toEqual([DAYS - 1]);
  expect(await descend(three, Infinity, 1)).toEqual({ found: [], counts: 1 });
});
