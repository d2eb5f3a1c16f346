import { expect, test } from 'vitest';

import { isGivenUp, retryDelayMs } from '../../../src/plan/alerts/alert-retry.ts';

test('pauses double up to a quarter of an hour', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((attempts) => retryDelayMs(attempts) / 1000);
  expect(seconds).toEqual([15, 30, 60, 120, 240, 480, 900, 900, 900]);
});

test('a requested pause is respected, within bounds', () => {
  expect(retryDelayMs(1, 60_000)).toBe(60_000);
  expect(retryDelayMs(4, 1_000)).toBe(120_000);
  expect(retryDelayMs(1, 86_400_000)).toBe(900_000);
});

test('a message is given up after a day', () => {
  const since = Temporal.Instant.from('2026-03-10T12:00:00Z');
  expect(isGivenUp(since, since.add({ hours: 23, minutes: 59 }))).toBe(false);
  expect(isGivenUp(since, since.add({ hours: 24 }))).toBe(true);
});
