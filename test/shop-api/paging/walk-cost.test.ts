import { expect, test, type TestContext } from 'vitest';

import { Random } from '../../../src/simulator/shop/random.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { ascending, readAll, type ReadAllOptions } from './read-all.ts';
import { IS_LONG } from '../../support/long.ts';

/** Orders at random seconds of a span. */
function spread(count: number, from: string, minutes: number): readonly number[] {
  const random = new Random(from, count);
  return Array.from({ length: count }, () => secondsOf(from) + random.between(0, minutes * 60 - 1));
}

const numbered = (created: readonly number[]): readonly FakeOrder[] =>
  created.map((seconds, index) => ({ id: index + 1, created: seconds }));

const DAY = 1440;
const KINDS: readonly FakeTraits[] = [
  { listOrder: 'desc' },
  { listOrder: 'desc', total: 'absent' },
  { listOrder: 'desc', total: 'all', dateTo: 'exclusive' },
  { listOrder: 'asc' },
  { listOrder: 'shuffled', total: 'all' },
];

/** Reads all with each kind of shop, and reports the requests; the least is what pages that are all full would need. */
async function costs(
  { annotate }: TestContext,
  created: readonly number[],
  cap: number,
  days: ReadAllOptions,
  kinds: readonly FakeTraits[],
): Promise<{ readonly least: number; readonly requests: readonly number[] }> {
  const least = Math.max(1, Math.ceil(created.length / cap));
  const requests: number[] = [];
  for (const kind of kinds) {
    const shop = new FakeShop(numbered(created), { ...kind, cap });
    const { ids } = await readAll(shop, days);
    expect(ascending(ids)).toEqual(ascending(shop.orders.map(({ id }) => id)));
    requests.push(shop.requests);
    await annotate(`${shop.requests} list requests of ${least} at least, ${JSON.stringify(kind)}`);
  }
  return { least, requests };
}

test('300 orders in one minute with pages of 50 take at most twice the least requests, and five times in no order', async (context) => {
  const others = [...spread(20, '2026-03-08T00:00', DAY), ...spread(20, '2026-03-11T00:00', DAY)];
  const { least, requests } = await costs(
    context,
    [...spread(300, '2026-03-10T12:34', 1), ...others],
    50,
    { from: '2026-03-08', to: '2026-03-11', isOpen: true },
    KINDS,
  );
  expect(least).toBe(7);
  expect(Math.max(...requests.slice(0, -1))).toBeLessThanOrEqual(2 * least);
  expect(requests.at(-1)).toBeLessThanOrEqual(5 * least);
});

test('2,000 orders in one day with pages of 100 take at most twice the least requests, and three times in no order', async (context) => {
  const days = { from: '2026-03-10', to: '2026-03-10' };
  const spreads = [spread(2000, '2026-03-10T09:00', 12 * 60), spread(2000, '2026-03-10T00:00', DAY)];
  for (const created of IS_LONG ? spreads : spreads.slice(0, 1)) {
    const { least, requests } = await costs(context, created, 100, days, KINDS);
    expect(least).toBe(20);
    expect(Math.max(...requests.slice(0, -1))).toBeLessThanOrEqual(2 * least);
    expect(requests.at(-1)).toBeLessThanOrEqual(3 * least);
  }
});

test('years of empty days cost nothing, whatever lies before and after them', async (context) => {
  const days = { from: '2010-01-01', to: '2026-03-31', isOpen: true };
  const empty = await costs(context, [], 100, days, KINDS);
  const ends = [...spread(3, '2010-01-05T00:00', DAY), ...spread(3, '2026-03-30T00:00', DAY)];
  const few = await costs(context, ends, 100, days, KINDS);
  const month = spread(600, '2010-01-01T00:00', 30 * DAY);
  const onceBusy = await costs(context, month, 100, days, [
    { listOrder: 'desc' },
    { listOrder: 'desc', total: 'all' },
  ]);
  // Nothing is asked for twice, days ahead and in all there is, and once by each lower limit. Of a short list each end is asked for
  // by itself, with days and with all there is beyond it; and where no page had many rows, what follows a row that comes alone.
  expect(empty.requests).toEqual([8, 8, 8, 8, 8]);
  expect(few.requests).toEqual([10, 10, 10, 10, 11]);
  expect(Math.max(...onceBusy.requests)).toBeLessThanOrEqual(2 * onceBusy.least);
  // A list in no order tells nothing by a page that overflows, so the busy month has to be searched for.
  const unsorted = await costs(context, month, 100, days, [{ listOrder: 'asc' }, { listOrder: 'shuffled' }]);
  expect(unsorted.requests[0]).toBeLessThanOrEqual(2 * unsorted.least);
  expect(unsorted.requests[1]).toBeLessThanOrEqual(8 * unsorted.least);
});

const LOADS = [3000, ...(IS_LONG ? [30_000] : [])].flatMap((count) =>
  [20, 100, 500].map((cap): [number, number] => [count, cap]),
);

test.for(LOADS)(
  'a first load of %i orders by pages of %i takes at most 2.5 times the least requests, in whatever order the shop lists, and two more',
  async ([count, cap], context) => {
    const created = spread(count, '2025-08-08T00:00', 210 * DAY);
    const sorts = (['desc', 'asc', 'shuffled'] as const).map((listOrder): FakeTraits => ({
      listOrder,
      total: 'absent',
    }));
    const days = { from: '2015-01-01', to: '2026-03-06', isOpen: true };
    const { least, requests } = await costs(context, created, cap, days, sorts);
    for (const made of requests) expect(made).toBeLessThanOrEqual(2.5 * least + 2);
  },
);

test('a first load of a shop that counts its orders plans its windows by the first page', async (context) => {
  const created = spread(5000, '2025-08-08T00:00', 180 * DAY);
  const days = { from: '2015-01-01', to: '2026-02-04', isOpen: true };
  const { requests } = await costs(context, created, 500, days, [
    { listOrder: 'desc' },
    { listOrder: 'desc', total: 'absent' },
  ]);
  const [counted = 0, uncounted = 0] = requests;
  expect(counted).toBeLessThanOrEqual(2.5 * 10);
  expect(counted).toBeLessThan(uncounted);
});

test('what was learned and counted before makes the next reading cheaper', async (context) => {
  const created = Array.from({ length: 60 }, (_, day) => spread(30, secondsText(day), 12 * 60)).flat();
  const days = { from: '2026-01-01', to: '2026-03-01' };
  const expected = new Map<string, number>();
  for (const seconds of created) {
    const day = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
      .toString()
      .slice(0, 10);
    expected.set(day, (expected.get(day) ?? 0) + 1);
  }
  const shop = new FakeShop(numbered(created), { cap: 100 });
  const first = await readAll(shop, days);
  const firstRequests = shop.requests;
  const second = await readAll(shop, { ...days, profile: structuredClone(first.profile), expected });
  const secondRequests = shop.requests - firstRequests;
  await context.annotate(`${firstRequests} list requests, then ${secondRequests}`);
  expect(second.ids).toHaveLength(1800);
  expect(second.profile).toEqual(first.profile);
  expect(secondRequests).toBeLessThanOrEqual(28);
  expect(firstRequests).toBeGreaterThan(secondRequests);
});

function secondsText(day: number): string {
  return Temporal.PlainDateTime.from('2026-01-01T09:00').add({ days: day }).toString();
}
