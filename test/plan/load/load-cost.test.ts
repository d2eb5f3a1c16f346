import { expect, test } from 'vitest';

import { estimateLoad, listRequestsPerHour } from '../../../src/plan/load/load-cost.ts';

const shop = { orders: 10_000, pageRows: 500, requestsPerSecond: 10 };

test('a load takes a request per order, some per buyer, and two per page', () => {
  expect(estimateLoad(shop)).toEqual({ requests: 13_040, seconds: 1_304, bytes: 43_000_000 });
});

test('the last page counts, however few orders it holds', () => {
  expect(estimateLoad({ ...shop, listed: 10_001 }).requests).toBe(13_042);
});

test('orders that are already loaded cost pages of the list and nothing else', () => {
  const rest = { ...shop, orders: 1_000, listed: 10_000 };
  expect(estimateLoad(rest)).toEqual({ requests: 1_340, seconds: 134, bytes: 4_300_000 });
});

test('an empty shop costs nothing', () => {
  expect(estimateLoad({ ...shop, orders: 0, pageRows: 0 })).toEqual({ requests: 0, seconds: 0, bytes: 0 });
});

const HOUR = 3_600_000;

test.each([
  // A window requests at least one page, and once more from its end.
  { orders: 0, pageRows: 100, requests: 2 },
  // Each page repeats the last row of the one before.
  { orders: 99, pageRows: 100, requests: 2 },
  { orders: 100, pageRows: 100, requests: 3 },
  // Eight pages are a window.
  { orders: 8 * 99, pageRows: 100, requests: 9 },
  { orders: 8 * 99 + 1, pageRows: 100, requests: 11 },
  { orders: 3, pageRows: 2, requests: 4 },
  { orders: 3, pageRows: 1, requests: 4 },
])('$orders orders on pages of $pageRows cost $requests requests', ({ orders, pageRows, requests }) => {
  expect(listRequestsPerHour([{ targetMs: HOUR, orders }], pageRows)).toBe(requests);
});

test('days with one target are read together, and each target costs according to its frequency', () => {
  const hourly = { targetMs: HOUR, orders: 60 };
  const often = { targetMs: HOUR / 60, orders: 10 };
  expect(listRequestsPerHour([hourly, hourly], 100)).toBe(3);
  expect(listRequestsPerHour([hourly, often, hourly], 100)).toBe(3 + 60 * 2);
  expect(listRequestsPerHour([], 100)).toBe(0);
});

test('the order of the days does not change the figure, not even its last digit', () => {
  const groups = [3, 7, 11, 13, 17, 23].map((hours) => ({ targetMs: hours * HOUR, orders: 1 }));
  const figures = groups.map((_, index) =>
    listRequestsPerHour([...groups.slice(index), ...groups.slice(0, index)], 100),
  );
  expect(new Set(figures).size).toBe(1);
});
