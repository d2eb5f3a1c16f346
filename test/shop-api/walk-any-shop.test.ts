import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { PageProfile } from '../../src/shop-api/page-profile.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { ascending, expectTiled, readAll } from './read-all.ts';

const DAYS = { from: '2026-03-01', to: '2026-03-20' };
const FIRST = secondsOf('2026-02-27T00:00');

/** Orders in and around the days, many of them in few minutes. */
const orders = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 24 * 86_400 }) },
      {
        weight: 2,
        arbitrary: fc.integer({ min: 0, max: 59 }).map((second) => 10 * 86_400 + 45_000 + second),
      },
      { weight: 1, arbitrary: fc.integer({ min: 2, max: 5 }).map((day) => day * 86_400) },
    ),
    { maxLength: 150, size: 'max' },
  )
  .chain((seconds) =>
    fc
      .shuffledSubarray(
        seconds.map((_, index) => index),
        { minLength: seconds.length },
      )
      .map((ids) =>
        seconds.map((second, index) => ({ id: 1000 + (ids[index] ?? 0), created: FIRST + second })),
      ),
  );

const traits: fc.Arbitrary<FakeTraits> = fc.record({
  cap: fc.oneof(fc.integer({ min: 2, max: 25 }), fc.constant(Infinity)),
  sort: fc.constantFrom('desc', 'asc', 'id', 'shuffled'),
  total: fc.constantFrom('matches', 'all', 'absent'),
  dateTo: fc.constantFrom('exclusive', 'second', 'minute'),
  isKeyed: fc.boolean(),
});

/** What an earlier run may have learned of such a shop, with limits as small as they can be. */
const profileOf = ({ cap = Infinity, total }: FakeTraits, size: number): fc.Arbitrary<PageProfile> =>
  fc
    .record({
      limit: fc.oneof(fc.integer({ min: 2, max: 40 }), fc.constant(500)),
      seen: fc.integer({ min: 0, max: 40 }),
      isCapProven: fc.boolean(),
      knowsTotal: fc.boolean(),
      ignoresStart: fc.boolean(),
    })
    .map(({ limit, seen, isCapProven, knowsTotal, ignoresStart }) => {
      const longestPage = Math.min(seen, cap, size);
      return {
        limit,
        longestPage,
        isCapProven: isCapProven && longestPage === Math.min(limit, cap),
        totalMeaning: knowsTotal && total !== undefined && total !== 'absent' ? total : 'unknown',
        ignoresStart,
      };
    });

/** What a ledger may have counted, right or wrong, for some of the days. */
const counts = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 40 })), { maxLength: 20 })
  .map((days) => new Map(days.map(([day, count]) => [`2026-03-${String(day).padStart(2, '0')}`, count])));

test('every order of the days is read exactly once and in its own window, however the shop pages', async () => {
  const shops = fc
    .tuple(traits, orders)
    .chain(([shop, all]) =>
      fc.tuple(fc.constant(shop), profileOf(shop, all.length), fc.constant(all), counts),
    );
  await fc.assert(
    fc.asyncProperty(shops, async ([shopTraits, profile, all, ledger]) => {
      const shop = new FakeShop(all, { ...shopTraits, mostRequests: 3000 });
      const { readings, ids } = await readAll(shop, { ...DAYS, profile, expected: ledger });
      expectTiled(readings, DAYS.from, DAYS.to);
      const [from, to] = [secondsOf(DAYS.from), secondsOf(DAYS.to) + 86_400];
      const expected = all.filter(({ created }) => created >= from && created < to);
      expect(ascending(ids)).toEqual(ascending(expected.map(({ id }) => id)));
      const createdOf = new Map(all.map(({ id, created }) => [String(id), created]));
      for (const reading of readings) {
        if (reading.kind === 'drifted') throw new Error(`${reading.reason}, though nothing moved`);
        const [first, last] = [secondsOf(reading.window.from), secondsOf(reading.window.to)];
        for (const { orderId } of reading.rows) {
          expect(createdOf.get(orderId)).toBeGreaterThanOrEqual(first);
          expect(createdOf.get(orderId)).toBeLessThan(last);
        }
      }
    }),
    { numRuns: 400 },
  );
});
