import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { createdMinute } from '../../../src/normalize/order.ts';
import { addWindow, type DayProgress } from '../../../src/plan/days/day-progress.ts';
import type { PageProfile } from '../../../src/shop-api/paging/request-page.ts';
import type { Witnesses } from '../../../src/shop-api/paging/reach.ts';
import type { FinalReading } from '../../../src/shop-api/paging/reading.ts';
import { readWindows } from '../../../src/sync/sweep/orders/read-windows.ts';
import { SeenOrders } from '../../../src/sync/sweep/orders/seen-orders.ts';
import { EVER } from '../../../src/model/window.ts';
import { type FakeTraits, secondsOf } from './fake-shop.ts';
import { knownAt } from './read-one.ts';
import { MAX_CHANGES, type Moving, MovingList } from './moving-list.ts';

const FIRST = secondsOf('2026-03-08T00:00');
const DAY_S = 86_400;
const DAYS = 4;
const TODAY = Temporal.PlainDate.from('2026-03-11');
/** A list that hides nearly everything may be asked for ever. */
const ENOUGH_REQUESTS = 500;

const second = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: DAYS * DAY_S - 1 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 59 }).map((at) => DAY_S + 45_000 + at) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -60, max: 60 }))
      .map(([day, at]) => day * DAY_S + at),
  },
);

/** Orders of four days: many in one minute, many at midnight, where windows meet. */
const orders = fc
  .oneof(
    { weight: 1, arbitrary: fc.array(second, { minLength: 1, maxLength: 3 }) },
    { weight: 5, arbitrary: fc.array(second, { minLength: 4, maxLength: 45, size: 'max' }) },
  )
  .map((seconds) => seconds.map((at, index) => ({ id: 1000 + index, created: FIRST + at })));

const traits: fc.Arbitrary<FakeTraits> = fc
  .record<FakeTraits>({
    // The fewer rows, the more pages that can shift.
    cap: fc.constantFrom(2, 3, 3, 4, 5, 8, 20, Infinity),
    listOrder: fc.constantFrom('desc', 'desc', 'asc', 'id-desc', 'shuffled'),
    total: fc.constantFrom(
      'matches',
      'matches',
      'matches',
      'all',
      'all',
      'absent',
      'absent',
      'page',
      'random',
    ),
    dateFrom: fc.constantFrom('inclusive', 'exclusive'),
    dateTo: fc.constantFrom('inclusive', 'exclusive'),
    datePrecision: fc.constantFrom('second', 'minute', 'minute', 'day'),
    filterHours: fc.constantFrom(0, 0, 0, -3, 11),
    dateEnds: fc.nat({ max: 9 }).map((number) => (number === 9 ? 'both' : 'any')),
    orders: fc.constantFrom('array', 'array', 'array', 'array', 'object'),
    pages: fc.constantFrom('whole', 'whole', 'bytes', 'random', 'random', 'repeats'),
    falseEmpties: fc.constantFrom(0, 0, 20, 7),
    start: fc.constantFrom('honoured', 'honoured', 'honoured', 'honoured', 'ignored'),
    reach: fc.constantFrom(0, 20, 24),
  })
  .map(recognizable);

/** Leaves out what no reader could tell from an honest list. */
function recognizable(given: FakeTraits): FakeTraits {
  const { total, listOrder, datePrecision, start, orders: form } = given;
  const isCounted = total !== 'page' && total !== 'random';
  // No object holds a key twice. And where every page is the first one, it must at least be as long each time.
  const isEven = start === 'ignored' || (form === 'object' && given.pages === 'repeats');
  const pages = isEven ? 'whole' : (given.pages ?? 'whole');
  // A list that ends too early shows by its far end, or by its total, where nothing else hides the end.
  const isPlain =
    pages === 'whole' && isCounted && given.falseEmpties === 0 && form === 'array' && start === 'honoured';
  const isByTime =
    (listOrder === 'desc' || listOrder === 'asc') && datePrecision !== 'day' && given.filterHours === 0;
  return { ...given, pages, reach: isPlain && isByTime ? (given.reach ?? 0) : 0 };
}

/** A list ends at a position beyond the orders of a minute and those around it, or no request shows what lies beyond. */
function endsBeyondCrowds(given: Moving): Moving {
  const { orders: all, traits: own, drift } = given;
  const crowds = all.map(({ created }) => all.filter((one) => Math.abs(one.created - created) < 150).length);
  const most = Math.max(...crowds) + (drift > 0 ? MAX_CHANGES : 0);
  return most + 4 < (own.reach || Infinity) ? given : { ...given, traits: { ...own, reach: 0 } };
}

const profiles: fc.Arbitrary<PageProfile> = fc.record({
  limit: fc.constantFrom(20, 500),
  pageRows: fc.integer({ min: 0, max: 40 }),
  totalMeaning: fc.constantFrom('unknown', 'matches', 'other'),
});

/** The first day and the last, as a sweep asks for them: the newest days have no end, and all of them no beginning. */
const windows = fc.constantFrom(
  EVER,
  { from: Temporal.PlainDateTime.from('2026-03-09T00:00'), to: EVER.to },
  {
    from: Temporal.PlainDateTime.from('2026-03-09T00:00'),
    to: Temporal.PlainDateTime.from('2026-03-11T00:00'),
  },
);

/** Where the warehouse holds all orders that there were before, half of them, or none. */
const held = fc.constantFrom(1, 2, undefined);

test('no order is lost and none made up in a window that was read whole, however the list lies and moves', async () => {
  const tally = { whole: 0, unproven: 0, days: 0, endless: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.record({ orders, traits, drift: fc.constantFrom(0, 5, 20, 50), seed: fc.nat({ max: 1e6 }) }),
      profiles,
      windows,
      held,
      async (moving, profile, window, share) => {
        const list = new MovingList(endsBeyondCrowds(moving));
        const stored = storedOrders(
          share === undefined ? [] : moving.orders.filter((_, at) => at % share === 0),
        );
        const shop = { timezone: 'Europe/Berlin' };
        const seen = new SeenOrders(shop, stored);
        const deps = { api: list.shop, book: { profile }, shop, now: list.now, seen };
        const hasTimeLeft = () => list.shop.requests < ENOUGH_REQUESTS;
        const [read, unresolved] = [new Set<number>(), new Set<string>()];
        let progress: DayProgress = new Map();
        for await (const reading of readWindows(deps, { window, days: [] }, TODAY, hasTimeLeft)) {
          tally[reading.kind] += 1;
          if (reading.kind !== 'whole') continue;
          // The days of orders that their own list lacks stay unverified.
          const { omitted = [] } = reading;
          for (const { raw } of omitted) unresolved.add(String(createdMinute(raw, deps.shop)?.toPlainDate()));
          expect(list.judge(reading)).toEqual([]);
          for (const { orderId } of [...reading.rows, ...omitted]) read.add(Number(orderId));
          const added = addWindow(
            progress,
            { ...reading, ordersByDay: countByDay(reading) },
            new Set(),
            TODAY,
          );
          progress = added.progress;
          tally.days += added.whole.length;
          for (const day of added.whole)
            if (!unresolved.has(day.day)) expect(list.judgeDay(day, read)).toEqual([]);
        }
        if (!hasTimeLeft()) tally.endless += 1;
      },
    ),
    { numRuns: Number(process.env['WALK_RUNS'] ?? 250), endOnFailure: true, verbose: 0 },
  );
  // What never happens proves nothing.
  expect(tally.whole).toBeGreaterThan(tally.unproven);
  expect(tally.days).toBeGreaterThan(tally.unproven);
  expect(tally.endless).toBeLessThan(tally.whole / 20);
});

function countByDay({ rows }: Extract<FinalReading, { kind: 'whole' }>): ReadonlyMap<string, number> {
  const days = rows.map(({ raw }) => createdMinute(raw, { timezone: 'Europe/Berlin' })?.toPlainDate());
  const groups = Map.groupBy(days, String);
  return new Map([...groups].map(([day, some]) => [day, some.length]));
}

/** The minutes of the orders that a warehouse holds. */
function storedOrders(all: readonly { readonly created: number }[]): Witnesses {
  const minutes = all.map(({ created }) => Temporal.Instant.fromEpochMilliseconds(created * 1000));
  return knownAt(...minutes.map((at) => at.toString({ smallestUnit: 'minute' }).slice(0, -1)));
}
