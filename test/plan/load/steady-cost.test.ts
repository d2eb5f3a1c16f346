import { expect, test } from 'vitest';

import { listRequestsPerHour } from '../../../src/plan/load/load-cost.ts';

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
