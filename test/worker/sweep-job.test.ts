import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { TransientError } from '../../src/model/errors.ts';
import { watchWaiting, withWatchdog } from '../../src/worker/sweep-job.ts';

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

test('a short sweep does not check for waiting shops, and one that ended no longer does', async () => {
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

const never = new AbortController().signal;

test('work that ends in time is left alone, and leaves no timer behind', async () => {
  const stopping = new AbortController();
  await expect(withWatchdog(1_000, stopping.signal, async () => 'done')).resolves.toBe('done');
  expect(vi.getTimerCount()).toBe(0);
  stopping.abort();
  expect(vi.getTimerCount()).toBe(0);
});

test('late work is aborted, and its own result counts', async () => {
  const work = withWatchdog(1_000, never, async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw signal.reason;
  });
  // oxlint-disable-next-line vitest/valid-expect -- awaited below, when the time has passed
  const ended = expect(work).rejects.toThrow(/stopped after 1 s/);
  await vi.advanceTimersByTimeAsync(1_000);
  await ended;
  expect(vi.getTimerCount()).toBe(0);
});

test('work that hangs is abandoned ten seconds after the abort', async () => {
  const settled = vi.fn();
  const hanging = withWatchdog(1_000, never, () => new Promise(() => undefined));
  void hanging.catch(settled);
  await vi.advanceTimersByTimeAsync(10_900);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(settled).toHaveBeenCalledExactlyOnceWith(expect.any(TransientError));
});

test.each(['before', 'meanwhile'])(
  'a worker that is stopped %s does not wait for work that hangs',
  async (when) => {
    const [stopping, reason] = [new AbortController(), new Error('stopped')];
    if (when === 'before') stopping.abort(reason);
    const hanging = withWatchdog(600_000, stopping.signal, () => new Promise(() => undefined));
    // oxlint-disable-next-line vitest/valid-expect -- awaited below, when the time has passed
    const ended = expect(hanging).rejects.toBe(reason);
    stopping.abort(reason);
    await vi.advanceTimersByTimeAsync(10_000);
    await ended;
  },
);
