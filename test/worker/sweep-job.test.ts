import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { watchWaiting } from '../../src/worker/sweep-job.ts';

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
