/** Shops that fail at a part of their list, or at requests that are too large for them. */
import { expect, test } from 'vitest';

import { unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import type { FinalReading } from '../../../src/shop-api/paging/reading.ts';
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

const SORTS: readonly NonNullable<FakeTraits['listOrder']>[] = ['desc', 'asc', 'shuffled'];

test.each(
  SORTS.flatMap((listOrder) => [500, 20].map((limit): [typeof listOrder, number] => [listOrder, limit])),
)(
  'a %s list that fails wherever it holds one order, by pages of %i, costs that day, and every other order is seen',
  async (listOrder, limit) => {
    const { open, unproven, ids, seen, shop } = await read({ listOrder, failsAt: { ids: [148] } }, limit);
    expect(open).toEqual([dayOf(148)]);
    expect(unproven.map(({ reason }) => reason).join()).toMatch(
      /^the orders of 2026-01-30T11:02 cannot be read: the shop fails at it \(the shop answered HTTP 500\)$/,
    );
    expect(seen.union(new Set(ids)).size).toBe(299);
    expect(shop.requests).toBeLessThanOrEqual(350);
  },
);

test.each<FakeTraits>([{}, { cap: 20 }, { start: 'last-row' }])(
  'an order that is always listed twice costs its day: %j',
  async (traits) => {
    const { open, unproven, shop } = await read({ ...traits, listsTwice: 148 });
    expect(open).toEqual([dayOf(148)]);
    expect(unproven.map(({ reason }) => reason).join()).toMatch(/an answer lists an order twice/);
    expect(shop.requests).toBeLessThan(450);
  },
);

test('several orders at which the list fails cost their days', async () => {
  const { open, seen } = await read({ failsAt: { ids: [300, 203, 148, 147, 3] } }, 20);
  expect(open).toEqual([3, 148, 203, 300].map(dayOf));
  expect(seen.size).toBe(295);
});

test('the newest order, which any first row would be, costs its day', async () => {
  for (const listOrder of SORTS) {
    const { open } = await read({ listOrder, failsAt: { ids: [300] } });
    expect(open).toEqual([dayOf(300)]);
  }
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

test('a fault and a limit that is too high are told apart', async () => {
  const { open, profile } = await read({ failsAt: { limit: 100, ids: [148] } });
  expect({ open, limit: profile.limit }).toEqual({ open: [dayOf(148)], limit: 100 });
});

test('a shop that fails at every limit that is tried ends the reading', async () => {
  const shop = new FakeShop(ORDERS, { failsAt: { limit: 10 } });
  await expect(readAll(shop, DAYS)).rejects.toThrow('HTTP 500');
  expect(shop.requests).toBeLessThan(10);
});

test('a shop that fails from some position on is read in windows of fewer rows', async () => {
  for (const listOrder of SORTS) {
    const { open, ids, shop } = await read({ listOrder, failsAt: { start: 40 } }, 20);
    expect({ open, orders: ids.length }).toEqual({ open: [], orders: 300 });
    expect(shop.requests).toBeLessThanOrEqual(350);
  }
});

test('a shop that is away ends the reading', async () => {
  for (const awayFrom of [1, 2, 3]) await expect(read({ awayFrom }, 20)).rejects.toThrow('HTTP 500');
});
