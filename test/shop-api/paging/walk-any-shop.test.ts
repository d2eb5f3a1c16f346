import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { PageProfile } from '../../../src/shop-api/paging/request-page.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { ascending, expectTiled, readAll } from './read-all.ts';
import { IS_LONG } from '../../support/long.ts';

const DAYS = { from: '2026-03-01', to: '2026-03-20' };
const FIRST = secondsOf('2026-02-27T00:00');

/** Orders in and around the days, many of them in few minutes. */
const placed = fc
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

const traits: fc.Arbitrary<FakeTraits> = fc
  .record<FakeTraits>({
    cap: fc.oneof(fc.integer({ min: 20, max: 40 }), fc.constant(Infinity)),
    listOrder: fc.constantFrom('desc', 'asc', 'id-desc', 'shuffled'),
    total: fc.constantFrom('matches', 'all', 'page', 'random', 'absent'),
    dateFrom: fc.constantFrom('inclusive', 'exclusive'),
    dateTo: fc.constantFrom('inclusive', 'exclusive'),
    datePrecision: fc.constantFrom('second', 'minute', 'day'),
    filterHours: fc.constantFrom(0, 0, 0, -3, 11),
    orders: fc.constantFrom('array', 'object'),
  })
  .filter(isDivisible);

/** A list in no order is confirmed by two halves, which filters in another zone, or by whole days that leave out their ends, do not always make. */
function isDivisible({
  listOrder,
  orders,
  datePrecision,
  filterHours,
  dateFrom,
  dateTo,
}: FakeTraits): boolean {
  const isInOrder = (listOrder === 'desc' || listOrder === 'asc') && orders === 'array';
  const isInclusive = dateFrom === 'inclusive' && dateTo === 'inclusive';
  return isInOrder || (filterHours === 0 && (datePrecision !== 'day' || isInclusive));
}

/** What an earlier run may have seen of a shop, true or not. */
const profiles: fc.Arbitrary<PageProfile> = fc.record({
  limit: fc.oneof(fc.integer({ min: 20, max: 40 }), fc.constant(500)),
  pageRows: fc.integer({ min: 0, max: 40 }),
  totalMeaning: fc.constantFrom('unknown', 'matches', 'other'),
});

/** What a ledger may have counted, right or wrong, for some of the days. */
const counts = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 40 })), { maxLength: 20 })
  .map((days) => new Map(days.map(([day, count]) => [`2026-03-${String(day).padStart(2, '0')}`, count])));

test('every order of the days is read exactly once and in its own window, however the shop pages', async () => {
  await fc.assert(
    fc.asyncProperty(traits, profiles, placed, counts, async (shopTraits, profile, all, ledger) => {
      fc.pre(all.length > 0);
      const shop = new FakeShop(all, { ...shopTraits, mostRequests: 3000 });
      const { readings, ids } = await readAll(shop, { ...DAYS, profile, expected: ledger });
      expectTiled(readings, DAYS.from, DAYS.to);
      const [from, to] = [secondsOf(DAYS.from), secondsOf(DAYS.to) + 86_400];
      const expected = all.filter(({ created }) => created >= from && created < to);
      expect(ascending(ids)).toEqual(ascending(expected.map(({ id }) => id)));
      const readCreated = new Map(all.map(({ id, created }) => [String(id), created]));
      for (const reading of readings) {
        if (reading.kind === 'unproven') throw new Error(`${reading.reason}, though nothing moved`);
        const [first, last] = [secondsOf(reading.window.from), secondsOf(reading.window.to)];
        for (const { orderId } of reading.rows) {
          expect(readCreated.get(orderId)).toBeGreaterThanOrEqual(first);
          expect(readCreated.get(orderId)).toBeLessThan(last);
        }
      }
    }),
    { numRuns: Number(process.env['WALK_RUNS'] ?? (IS_LONG ? 120 : 50)), endOnFailure: true, verbose: 0 },
  );
});
