import { expect, test } from 'vitest';

import { estimateLoad } from '../../../src/plan/load/load-cost.ts';

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
