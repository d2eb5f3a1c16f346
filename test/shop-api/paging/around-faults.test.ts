/** Shops that fail at a part of their list, or at requests that are too large for them. */
import { expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import type { FinalReading, UnprovenWindow } from '../../../src/shop-api/paging/window-reading.ts';
import { windowText } from '../../../src/model/window.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { readAll } from './read-all.ts';

const DAYS = { from: '2026-01-01', to: '2026-03-01' };
const FIRST = Temporal.PlainDate.from(DAYS.from);
/** Five orders a day for sixty days, each at another time of the day. */
const ORDERS: readonly FakeOrder[] = Array.from({ length: 300 }, (_, index) => {
  const day = FIRST.add({ days: Math.floor(index / 5) });
  return { id: index + 1, created: secondsOf(day.toPlainDateTime()) + ((index % 5) * 4 + 3) * 3600 + index };
});
const dayOf = (id: number) => FIRST.add({ days: Math.floor((id - 1) / 5) }).toString();

async function read(traits: FakeTraits, limit = 500) {
  const shop = new FakeShop(ORDERS, { mostRequests: 1000, ...traits });
  const result = await readAll(shop, { ...DAYS, profile: unknownProfile(limit) });
  return { ...result, shop, unproven: unprovenOf(result.readings), open: openDays(result.readings) };
}

const unprovenOf = (readings: readonly FinalReading[]) =>
  readings.flatMap((reading) => (reading.kind === 'unproven' ? [reading] : []));

const gapOf = ({ window, isGap }: UnprovenWindow) =>
  isGap === true ? windowText(window) : expect.fail('more is unproven than what the shop fails at');

/** Days of which some minute was not proven. */
function openDays(readings: readonly FinalReading[]): readonly string[] {
  const left = new Map<string, number>();
  for (let day = FIRST; day.toString() <= DAYS.to; day = day.add({ days: 1 })) left.set(day.toString(), 1440);
  for (const { kind, window } of readings) {
    if (kind === 'unproven') continue;
    for (const [key, minutes] of left) {
      const start = Temporal.PlainDateTime.from(key);
      const end = start.add({ days: 1 });
      const from = Temporal.PlainDateTime.compare(window.from, start) > 0 ? window.from : start;
      const to = Temporal.PlainDateTime.compare(window.to, end) < 0 ? window.to : end;
      const read = from.until(to).total('minutes');
      if (read > 0) left.set(key, minutes - read);
    }
  }
  return [...left].flatMap(([key, minutes]) => (minutes > 0 ? [key] : []));
}

const SORTS: readonly NonNullable<FakeTraits['sort']>[] = ['desc', 'asc', 'shuffled'];

test.each(SORTS.flatMap((sort) => [500, 20].map((limit): [typeof sort, number] => [sort, limit])))(
  'a %s list that fails wherever it holds one order, by pages of %i, costs that day',
  async (sort, limit) => {
    const { open, unproven, ids, seen, shop } = await read({ sort, failsAt: { ids: [148] } }, limit);
    expect(open).toEqual([dayOf(148)]);
    expect(unproven.map(({ reason }) => reason).join('\n')).toMatch(
      /^the shop fails whenever it is asked for the orders of 2026-01-30T11:02 \(the shop answered HTTP 500\)$/,
    );
    // From the next order below it to the one above.
    expect(unproven.map(gapOf)).toEqual(['2026-01-30T07:02 to 2026-01-30T15:03']);
    expect(seen.union(new Set(ids)).size).toBe(299);
    expect(shop.requests).toBeLessThanOrEqual(limit === 500 ? 62 : 90);
  },
);

test.each<FakeTraits>([{}, { cap: 20 }, { clampsStart: true }])(
  'an order that is always listed twice costs its day: %j',
  async (traits) => {
    const { open, unproven, shop } = await read({ ...traits, listsTwice: 148 });
    expect(open).toEqual([dayOf(148)]);
    expect(unproven.map(({ reason }) => reason)).toEqual([
      'the shop keeps listing an order of 2026-01-30T11:02 twice',
    ]);
    expect(shop.requests).toBeLessThan(160);
  },
);

test('several orders at which the list fails cost their days', async () => {
  const { open, ids, shop } = await read({ failsAt: { ids: [300, 203, 148, 147, 3] } }, 20);
  expect(shop.requests).toBeLessThanOrEqual(277);
  expect(open).toEqual([3, 148, 203, 300].map(dayOf));
  expect(ids.length).toBeGreaterThan(280);
});

test('of more than twenty, the others are not looked for', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => index * 5 + 3);
  const { shop, unproven } = await read({ failsAt: { ids } }, 20);
  expect(unproven.length).toBeGreaterThan(20);
  expect(shop.requests).toBeLessThanOrEqual(850);
});

test('the newest order, which any first row would be, costs its day', async () => {
  for (const sort of SORTS) {
    const { open } = await read({ sort, failsAt: { ids: [300] } });
    expect(open).toEqual([dayOf(300)]);
  }
});

test('where the first order of all cannot be shown, nothing before it is proven, day by day', async () => {
  const { readings } = await readAll(new FakeShop(ORDERS.slice(10), { failsAt: { ids: [11] } }), DAYS);
  expect(unprovenOf(readings).map(gapOf)).toEqual([
    '2026-01-03T00:00 to 2026-01-03T07:01',
    '2026-01-02T00:00 to 2026-01-03T00:00',
    '2026-01-01T00:00 to 2026-01-02T00:00',
  ]);
});

test('where the order that cannot be shown is the last or the first of its day, the next day cannot be proven either', async () => {
  expect((await read({ failsAt: { ids: [150] } })).open).toEqual([dayOf(150), dayOf(151)]);
  expect((await read({ failsAt: { ids: [151] } })).open).toEqual([dayOf(150), dayOf(151)]);
});

test.each([
  [100, 500],
  [20, 500],
  [20, 100],
])('a shop that fails at limits above %i is asked for that many in place of %i', async (most, limit) => {
  const { open, unproven, profile, ids } = await read({ failsAt: { limit: most } }, limit);
  expect({ open, unproven, limit: profile.limit }).toEqual({ open: [], unproven: [], limit: most });
  expect(ids).toHaveLength(300);
});

test.each([
  // What is older than the first day is not asked for.
  [1, '2026-01-01T00:00 to 2026-01-01T12:01', 318],
  [3, '2026-01-01T12:00 to 2026-02-10T10:01', 72],
  [4, '2026-01-03T10:00 to 2026-02-10T11:01', 150],
  [6, '2026-02-10T11:00 to 2026-03-02T00:00', 84],
])(
  'what cannot be read around order %i reaches down to the next order, however far',
  async (id, gap, most) => {
    const days = ['01-01T10:00', '01-01T12:00', '01-03T10:00', '02-10T10:00', '02-10T11:00', '02-20T11:00'];
    const orders = days.map((time, index) => ({ id: index + 1, created: secondsOf(`2026-${time}`) }));
    const before = { id: 7, created: secondsOf('2025-12-20T10:00') };
    const shop = new FakeShop([before, ...orders], { failsAt: { ids: [id] } });
    const { readings } = await readAll(shop, DAYS);
    expect(unprovenOf(readings).map(gapOf)).toEqual([gap]);
    expect(shop.requests).toBeLessThanOrEqual(most);
  },
);

test('a fault and a limit that is too high are told apart', async () => {
  const { open, profile, shop } = await read({ failsAt: { limit: 100, ids: [148] } });
  expect({ open, limit: profile.limit }).toEqual({ open: [dayOf(148)], limit: 100 });
  expect(shop.requests).toBeLessThanOrEqual(67);
});

test.each([
  [500, 5],
  [20, 3],
])('a shop that fails at every limit that is tried in place of %i ends the reading', async (limit, most) => {
  const shop = new FakeShop(ORDERS, { failsAt: { limit: 10 } });
  await expect(readAll(shop, { ...DAYS, profile: unknownProfile(limit) })).rejects.toThrow('HTTP 500');
  expect(shop.requests).toBe(most);
});

test.each<[FakeTraits, number]>([
  [{ failsAt: { days: 31 } }, 137],
  [{ sort: 'shuffled', failsAt: { start: 3 } }, 213],
])('a shop of which nothing can be proven is given up after some requests: %j', async (traits, most) => {
  const { unproven, open, shop } = await read(traits, 20);
  expect(open).toHaveLength(60);
  for (const { isGap, reason } of unproven) {
    expect(isGap).not.toBe(true);
    expect(reason).toMatch(/^the shop fails whenever it is asked for the orders of .+ \(.+ HTTP 500\)$/);
  }
  expect(shop.requests).toBeLessThanOrEqual(most);
});

test('of answers that are old nothing is proven, and what the shop fails at stays as small as it is', async () => {
  const shop = new FakeShop(ORDERS, { failsAt: { ids: [300] } });
  const areTaken = new Set<boolean | undefined>();
  const listOrders: ShopApi['listOrders'] = async (query, _signal, options) => {
    areTaken.add(options?.mayBeOutdated);
    return { ...(await shop.listOrders(query)), outdated: 'from a cache' };
  };
  const { readings } = await readAll({ listOrders }, DAYS);
  expect(unprovenOf(readings).map(({ reason }) => reason)).toEqual(readings.map(() => 'from a cache'));
  expect(
    unprovenOf(readings)
      .filter(({ isGap }) => isGap)
      .map(gapOf),
  ).toEqual(['2026-03-01T15:04 to 2026-03-02T00:00']);
  expect([...areTaken]).toEqual([true]);
});

test('where a shop fails at long spans of dates, a page without dates that holds all orders proves their days', async () => {
  const { open, shop } = await read({ failsAt: { days: 31 } });
  expect(open.slice(1)).toEqual([]);
  expect(shop.requests).toBeLessThan(120);
});

test('a shop that fails from some position on is read in windows of fewer rows', async () => {
  for (const sort of SORTS) {
    const { open, ids, shop } = await read({ sort, failsAt: { start: 40 } }, 20);
    expect(shop.requests).toBeLessThanOrEqual(81);
    expect({ open, orders: ids.length }).toEqual({ open: [], orders: 300 });
  }
});

test('a shop that is away ends the reading', async () => {
  for (const awayFrom of [1, 2, 3]) await expect(read({ awayFrom }, 20)).rejects.toThrow('HTTP 500');
});
