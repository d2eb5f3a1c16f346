import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Pace, type Started } from '../../../src/http/pace.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { apiOf, NOW, rejection } from '../../shop-api/api-of.ts';

const paceOf = (maxConcurrency: number, maxRps: number): Pace => new Pace({ maxConcurrency, maxRps });

test('never more requests are in flight than allowed', async () => {
  await using sim = await startSimulator({ orders: 30, now: NOW, latencyMs: 15 });
  const api = apiOf(sim, { maxConcurrency: 3 });
  sim.faults.failNext(5, 'http-502');
  await Promise.all(sim.shop.orders().map(({ orderId }) => api.orderContent(String(orderId))));
  expect(sim.requests.count()).toBe(35);
  expect(sim.requests.peak()).toBeLessThanOrEqual(3);
});

test('as many run at once as allowed, while there is work for them', async () => {
  const pace = paceOf(2, 1_000);
  const waiting: (() => void)[] = [];
  const met: number[] = [];
  const meet = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < 2) return;
      met.push(waiting.length);
      for (const go of waiting.splice(0)) go();
    });
  // Nobody goes on before two have met.
  await Promise.all(Array.from({ length: 6 }, () => pace.run(meet)));
  expect(met).toEqual([2, 2, 2]);
});

describe('by a clock of their own', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('in no second are more requests started than allowed, and just as many as that', async () => {
    const starts: number[] = [];
    const pace = paceOf(10, 10);
    const request = () => pace.run(async () => void starts.push(Date.now()));
    void request();
    // A limiter that counts by fixed seconds would let two seconds' worth through from here on.
    await vi.advanceTimersByTimeAsync(800);
    const all = Promise.all(Array.from({ length: 27 }, request));
    await vi.advanceTimersByTimeAsync(5_000);
    await all;
    const inSecondFrom = (from: number) => starts.filter((at) => at >= from && at < from + 1_000).length;
    expect(Math.max(...starts.map(inSecondFrom))).toBe(10);
    const tookMs = (starts.at(-1) ?? 0) - (starts[0] ?? 0);
    expect(tookMs).toBeGreaterThanOrEqual(2_000);
    expect(tookMs).toBeLessThan(3_500);
  });

  /** When requests start that are wanted at once, in the time that they have for it. */
  async function startsOf(pace: Pace, requests: number, ms: number): Promise<readonly number[]> {
    const starts: number[] = [];
    const request = () => pace.run(async () => void starts.push(Date.now()));
    const all = Promise.all(Array.from({ length: requests }, request));
    await vi.advanceTimersByTimeAsync(ms);
    await all;
    return starts;
  }

  test('a rate between two whole numbers is kept in every second', async () => {
    const starts = await startsOf(paceOf(20, 2.5), 8, 4_000);
    const inSecondFrom = (from: number) => starts.filter((at) => at >= from && at < from + 800).length;
    expect(Math.max(...starts.map(inSecondFrom))).toBe(2);
  });

  test('the pace of an earlier run applies from the first request', async () => {
    const pace = paceOf(16, 1_000);
    pace.resume({ rps: undefined, concurrency: 2 });
    let started = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = Promise.all(Array.from({ length: 5 }, () => pace.run(() => (started++, promise))));
    await vi.advanceTimersByTimeAsync(100);
    expect([started, pace.state.limitedBy]).toEqual([2, 'slowness']);
    resolve();
    await vi.advanceTimersByTimeAsync(100);
    await all;
  });

  test('a request whose start is delayed by a refusal waits again, and is not sent if the gate has closed', async () => {
    const pace = paceOf(4, 2);
    const started: Started[] = [];
    const run = (isShut = () => false) =>
      pace.run(async (each) => void started.push(each), undefined, isShut);
    await run();
    let isShut = false;
    const all = Promise.all([run(), run(() => isShut), run()]);
    await vi.advanceTimersByTimeAsync(100);
    if (started[0]) pace.record('list', started[0], 'refused');
    await vi.advanceTimersByTimeAsync(900);
    expect(started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    isShut = true;
    await vi.advanceTimersByTimeAsync(3_000);
    expect((await all)[1]).toBeUndefined();
    expect(started.map(({ waited }) => waited)).toEqual([false, true, true]);
  });

  test('less than one request per second is possible', async () => {
    const [first = 0, second = 0] = await startsOf(paceOf(4, 0.8), 2, 2_000);
    expect(second - first).toBeGreaterThanOrEqual(1_250);
    expect(second - first).toBeLessThan(1_400);
  });
});

test('an abort ends everything at once with its reason, and nothing is sent any more', async () => {
  const began = performance.now();
  await using sim = await startSimulator({ orders: 5, now: NOW });
  const reason = new Error('the shop was taken over');
  const abort = new AbortController();
  const { signal } = abort;
  sim.faults.failNext(1, 'hang');
  sim.faults.failNext(1, 'stall-body');
  sim.faults.failNext(1, 'http-500');
  const waiting = apiOf(sim, { maxConcurrency: 2, retry: { firstPauseMs: 60_000, maxPauseMs: 60_000 } });
  const slow = apiOf(sim, { maxRps: 0.01 });
  const hanging = waiting.listOrders({}, signal);
  while (sim.requests.count() < 1) await sleep(5);
  const stalling = waiting.listOrders({}, signal);
  while (sim.requests.count() < 2) await sleep(5);
  const queued = waiting.groups({}, signal);
  const pausing = apiOf(sim, { retry: { firstPauseMs: 60_000, maxPauseMs: 60_000 } }).groups({}, signal);
  while (sim.faults.pending() > 0) await sleep(5);
  await slow.listOrders({});
  const turns = Array.from({ length: 20 }, () => slow.listOrders({}, signal));
  const sent = sim.requests.count();
  setTimeout(() => abort.abort(reason), 50);
  const errors = await Promise.all([hanging, stalling, queued, pausing, ...turns].map(rejection));
  for (const error of errors) expect(error).toBe(reason);
  // None of them waited for its pause, or for a time-out.
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(await rejection(waiting.listOrders({}, signal))).toBe(reason);
  await sleep(50);
  expect(sim.requests.count()).toBe(sent);
});
