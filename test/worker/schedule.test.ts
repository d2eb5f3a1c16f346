import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createSchedule, placeMs } from '../../src/worker/schedule.ts';

const NOON = new Date('2026-03-10T12:00:00Z');

beforeEach(() => void vi.useFakeTimers({ now: new Date(NOON.getTime() - 30_000) }));
afterEach(() => void vi.useRealTimers());

const keys = (count: number) => Array.from({ length: count }, (_, index) => `shop-${index + 100}`);

test('a shop waits for the next tick and for its place in it, wherever the clock stands and wherever it was', () => {
  const shops = keys(120);
  const schedule = createSchedule('* * * * *', 4);
  expect(shops.map((key) => schedule(key, shops))).toEqual(shops.map((_, index) => 30_000 + index * 500));
  // A clock that was hours ahead, and one that was behind.
  for (const hours of [-3, 3]) {
    vi.setSystemTime(NOON.getTime() + hours * 3_600_000 + 20_000);
    expect(schedule('shop-100', shops)).toBe(40_000);
  }
});

test('few shops, or a short tick, begin with the tick; ticks far apart are spread over a minute', () => {
  expect(keys(4).map((key) => createSchedule('* * * * *', 4)(key, keys(4)))).toEqual(Array(4).fill(30_000));
  expect(createSchedule('*/5 * * * * *', 4)('shop-219', keys(120))).toBe(5_000);
  expect(createSchedule('0 * * * *', 4)('shop-219', keys(120))).toBe(30_000 + 59_500);
});

test('a schedule is in UTC, wherever a worker runs', () => {
  expect(createSchedule('0 12 * * *', 4)('a', ['a'])).toBe(30_000);
});

test('every shop has one place, the same in any order of the settings; another shop hardly moves it', () => {
  const shops = fc.uniqueArray(fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,8}$/), { minLength: 6 });
  fc.assert(
    fc.property(shops, fc.integer({ min: 10_000, max: 60_000 }), ([added = '', ...others], spanMs) => {
      const places = others.map((key) => placeMs(key, others, spanMs, 4));
      expect(new Set(places).size).toBe(others.length);
      expect(others.map((key) => placeMs(key, others.toReversed(), spanMs, 4))).toEqual(places);
      for (const [index, key] of others.entries()) {
        const [before = Number.NaN, after] = [places[index], placeMs(key, [added, ...others], spanMs, 4)];
        expect(after).toBeLessThan(spanMs);
        expect(Math.abs(after - before)).toBeLessThanOrEqual(Math.ceil(spanMs / (others.length + 1)));
      }
    }),
  );
});
