/** Waits that end early leave nothing behind: a run sends thousands of requests by one signal. */
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { REAL_CLOCK, unlessAborted } from '../../src/http/clock.ts';
import { isLate } from '../../src/http/pace/late.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a sleep that is aborted ends with the reason, and leaves no timer and no listener', async () => {
  const [abort, reason] = [new AbortController(), new Error('not wanted')];
  const slept = REAL_CLOCK.sleep(60_000, abort.signal);
  expect(vi.getTimerCount()).toBe(1);
  abort.abort(reason);
  await expect(slept).rejects.toBe(reason);
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  await expect(REAL_CLOCK.sleep(60_000, abort.signal)).rejects.toBe(reason);
  expect(vi.getTimerCount()).toBe(0);
});

test('work that ends before an abort leaves no listener either', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('the time of the client is that of the system, so that the end of a pause can be shown', () => {
  vi.useRealTimers();
  expect(Math.abs(REAL_CLOCK.nowMs() - Date.now())).toBeLessThan(60_000);
});

test('a process that was busy for long counts as late until the next measurement', async () => {
  vi.useRealTimers();
  await sleep(300);
  isLate();
  for (const until = performance.now() + 400; performance.now() < until;);
  await sleep(30);
  expect([isLate(), isLate()]).toEqual([true, true]);
});

test('a signal that is already aborted ends a wait at once', async () => {
  const reason = new Error('not wanted');
  await expect(unlessAborted(new Promise(() => undefined), AbortSignal.abort(reason))).rejects.toBe(reason);
});
