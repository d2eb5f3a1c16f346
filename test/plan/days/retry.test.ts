import { assert, boolean, integer, property, record } from 'fast-check';
import { expect, test } from 'vitest';

import { retryAfterMs } from '../../../src/plan/days/freshness.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const minutes = (given: { ageDays: number; targetMs: number; wasRead: boolean }) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map((attempts) => retryAfterMs({ attempts, ...given }) / MINUTE);

test('a day that cannot be read is tried again at growing intervals, up to an hour', () => {
  const unread = { ageDays: 9, targetMs: DAY, wasRead: false };
  expect(minutes(unread)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('today is tried again soon, since new orders come in', () => {
  const unread = { ageDays: 0, targetMs: MINUTE, wasRead: false };
  expect(minutes(unread)).toEqual([1, 2, 4, 5, 5, 5, 5, 5, 5]);
});

test('a day that was read before is retried as often as its target asks, at least once an hour', () => {
  expect(minutes({ ageDays: 1, targetMs: 3 * MINUTE, wasRead: true })).toEqual([1, 2, 3, 3, 3, 3, 3, 3, 3]);
  expect(minutes({ ageDays: 500, targetMs: 7 * DAY, wasRead: true }).at(-1)).toBe(60);
});

test('no interval is shorter than the one before', () => {
  const given = {
    ageDays: integer({ min: -1, max: 4_000 }),
    targetMs: integer({ min: 1_000, max: 30 * DAY }),
    wasRead: boolean(),
    attempts: integer({ min: 1, max: 32_767 }),
  };
  assert(
    property(record(given), (day) => {
      expect(retryAfterMs({ ...day, attempts: day.attempts + 1 })).toBeGreaterThanOrEqual(retryAfterMs(day));
    }),
  );
});
