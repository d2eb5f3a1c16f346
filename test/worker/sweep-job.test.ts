import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { logProgress, watchWaiting } from '../../src/worker/sweep-job.ts';
import type { Progress } from '../../src/sync/run/context.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a sweep keeps its slot while nobody waits, and has its share of time when somebody does', async () => {
  let waiting = 0;
  let asked = 0;
  using giveWay = watchWaiting(async () => {
    asked += 1;
    return waiting > 0;
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(giveWay.mustEnd()).toBe(false);
  waiting = 1;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(giveWay.mustEnd()).toBe(true);
  waiting = 0;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(giveWay.mustEnd(), 'its decision stands').toBe(true);
  expect(asked).toBeGreaterThan(0);
});

test('a short sweep asks nothing, and one that ended asks no more', async () => {
  const hasWaiting = vi.fn(async () => true);
  const giveWay = watchWaiting(hasWaiting);
  await vi.advanceTimersByTimeAsync(19_999);
  expect([giveWay.mustEnd(), hasWaiting.mock.calls.length]).toEqual([false, 0]);
  giveWay[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(hasWaiting).not.toHaveBeenCalled();
  const nobody = vi.fn(async () => false);
  const long = watchWaiting(nobody);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(nobody).toHaveBeenCalledTimes(3);
  long[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(nobody).toHaveBeenCalledTimes(3);
});

test('a database that cannot say who waits ends no sweep', async () => {
  using giveWay = watchWaiting(() => Promise.reject(new Error('down')));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(giveWay.mustEnd()).toBe(false);
});

afterEach(() => void vi.useRealTimers());

test('a long sweep logs once a minute what it has stored, though no day of it is complete', () => {
  vi.useFakeTimers();
  const lines: object[] = [];
  const logger = {
    debug: () => undefined,
    warn: () => undefined,
    info: (data: object) => void lines.push(data),
  };
  let progress: Progress = {
    phase: 'orders',
    days_due: undefined,
    days_verified: 0,
    orders_total: undefined,
    orders_read: 430,
    orders_seen: 0,
    orders_stored: 300,
    users: 0,
    requests: 568,
    seconds_left: undefined,
  };
  const log = logProgress(logger, 'north');
  vi.advanceTimersByTime(60_000);
  expect(lines, 'nothing is known yet').toEqual([]);
  log.watch(() => progress);
  vi.advanceTimersByTime(60_000);
  progress = { ...progress, orders_stored: 1800, seconds_left: 90 };
  vi.advanceTimersByTime(60_000);
  log[Symbol.dispose]();
  vi.advanceTimersByTime(600_000);
  const common = {
    shop: 'north',
    phase: 'orders',
    days_verified: 0,
    orders_read: 430,
    orders_seen: 0,
    users: 0,
    requests: 568,
  };
  expect(lines).toEqual([
    { ...common, orders_stored: 300 },
    { ...common, orders_stored: 1800, seconds_left: 90 },
  ]);
});
