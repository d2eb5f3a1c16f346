/** When a request is sent again, how long after, and what for: as the shop sees it. */
import { afterEach, expect, test, vi } from 'vitest';

import type { ShopApiOptions } from '../../src/shop-api/shop-api.ts';
import { apiOf, QUICK, rejection } from '../shop-api/api-of.ts';
import { bodies, ONE_ORDER, startScriptedShop } from '../shop-api/scripted-shop.ts';
import { type Act, answer, fail, startTimedShop } from '../shop-api/timed-shop.ts';

const away: Act = (response) => fail(response, 500);

afterEach(() => void vi.useRealTimers());

/**
 * A shop without sockets that fails for so long, and when it was asked for what, in the time of timers that a test advances.
 */
function startFailingShop(options: Partial<ShopApiOptions>, failsForMs = Infinity) {
  vi.useFakeTimers();
  const beganMs = performance.now();
  const asked: { readonly path: string; readonly atMs: number }[] = [];
  const pool = {
    async send({ path }: { readonly path: string }) {
      const atMs = performance.now() - beganMs;
      asked.push({ path, atMs });
      const bytes = Buffer.from('{"success":1,"ordercontent":[]}');
      return { status: atMs < failsForMs ? 500 : 200, headers: new Headers(), bytes };
    },
  };
  const open = () => apiOf({ url: 'http://shop.example' }, { pool, ...options });
  const at = (end: string) => asked.filter(({ path }) => path.endsWith(end)).map(({ atMs }) => atMs);
  return { open, asked, at };
}

/** Milliseconds between one request and the next. */
function gaps(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

test('pauses double up to the longest, with jitter of up to half, so that clients do not synchronize', async () => {
  const retry = { firstPauseMs: 1000, maxPauseMs: 3000, maxAttempts: 6 };
  const shop = startFailingShop({ retry, circuit: { failures: 100 } });
  const ids = ['1', '2', '3', '4'];
  const ended = Promise.all(ids.map((id) => rejection(shop.open().orderContent(id))));
  await vi.advanceTimersByTimeAsync(60_000);
  await ended;
  for (const id of ids) {
    const pauses = gaps(shop.at(`/${id}`));
    expect(pauses).toHaveLength(5);
    for (const [index, longest] of [1000, 2000, 3000, 3000, 3000].entries()) {
      // Timers count whole milliseconds.
      expect(pauses[index]).toBeGreaterThanOrEqual(longest / 2 - 1);
      expect(pauses[index]).toBeLessThanOrEqual(longest);
    }
  }
  expect(new Set(ids.flatMap((id) => gaps(shop.at(`/${id}`)))).size).toBeGreaterThan(4);
});

test('the error is that of the last attempt', async () => {
  let attempts = 0;
  await using shop = await startTimedShop((response) =>
    attempts++ === 0 ? fail(response, 500) : response.destroy(),
  );
  const api = shop.open({ retry: { ...QUICK, maxAttempts: 2 } });
  await shop.run(async () => {
    const { message } = await rejection(api.listOrders({}));
    expect(message).toContain('the connection was closed');
  });
  expect(attempts).toBe(2);
});

test('a pause is waited for as often as the shop asks for one, up to the last attempt', async () => {
  await using shop = await startTimedShop((response, request, nowMs) =>
    nowMs < 180_000 ? fail(response, 429, { 'Retry-After': '45' }) : answer(response, request),
  );
  const api = shop.open();
  await shop.run(async () => expect(await api.listOrders({})).toMatchObject({ received: 1 }));
  expect(shop.arrivals.map(({ atMs }) => atMs)).toEqual([0, 45_000, 90_000, 135_000, 180_000]);
});

test('once the burst is used up, every retry waits for the budget, which failures do not fill', async () => {
  const budget = { burst: 1, perSuccess: 1, refillMs: 5000, maxWaitMs: 60_000 };
  const shop = startFailingShop({ budget, retry: { ...QUICK, maxAttempts: 5 } });
  const ended = rejection(shop.open().listOrders({}));
  await vi.advanceTimersByTimeAsync(60_000);
  await ended;
  const [first, ...others] = gaps(shop.at('/orders'));
  expect(first).toBeLessThanOrEqual(2);
  expect(others).toHaveLength(3);
  for (const gap of others) expect(gap).toBeGreaterThan(4900);
});

test('all retries of a shop share a budget: a burst of them, then few, and nothing fails for lack of one', async () => {
  const budget = { burst: 6, refillMs: 5000, maxWaitMs: 40_000 };
  const retry = { maxAttempts: 20, firstPauseMs: 100, maxPauseMs: 200 };
  const shop = startFailingShop({ budget, retry }, 15_000);
  const api = shop.open();
  const ended = Promise.all(Array.from({ length: 12 }, (_, index) => api.orderContent(String(index))));
  await vi.advanceTimersByTimeAsync(300_000);
  await ended;
  const early = shop.asked.filter(({ atMs }) => atMs < 15_000).length;
  expect(early).toBeGreaterThanOrEqual(12 + 6);
  expect(early).toBeLessThanOrEqual(12 + 6 + 3);
  expect(api.counts.content).toBe(early + 12);
});

test('successes earn retries back', async () => {
  await using shop = await startTimedShop((response, request) =>
    shop.at('/orders').length % 2 === 1 ? fail(response) : answer(response, request),
  );
  const budget = { burst: 1, perSuccess: 1, refillMs: 1_000_000, maxWaitMs: 1_000_000 };
  const api = shop.open({ budget });
  await shop.run(async () => {
    for (let times = 0; times < 5; times++) await api.listOrders({});
  });
  expect(shop.arrivals).toHaveLength(10);
  expect(shop.clock.nowMs()).toBeLessThan(1000);
});

test('a request may ask for fewer attempts than usual, and not for more', async () => {
  await using shop = await startTimedShop(away);
  const api = shop.open({ retry: { ...QUICK, maxAttempts: 3 } });
  for (const [asked, sent] of [
    [1, 1],
    [2, 2],
    [9, 3],
  ] as const) {
    const before = shop.arrivals.length;
    await shop.run(() => rejection(api.listOrders({}, undefined, { maxAttempts: asked })));
    expect(shop.arrivals.length - before).toBe(sent);
  }
});

test('a request that was aborted before is not sent at all', async () => {
  await using shop = await startScriptedShop(bodies(ONE_ORDER));
  const reason = new Error('not wanted');
  expect(await rejection(apiOf(shop).listOrders({}, AbortSignal.abort(reason)))).toBe(reason);
  expect(shop.received).toEqual([]);
});

test('an answer that came before an abort is delivered', async () => {
  await using shop = await startScriptedShop(bodies(ONE_ORDER));
  const abort = new AbortController();
  const api = apiOf(shop, { onAttempt: () => abort.abort(new Error('not wanted')) });
  expect(await api.listOrders({}, abort.signal)).toMatchObject({ received: 1 });
});

test.for([
  ['the pause before a retry', { retry: { firstPauseMs: 60_000, maxPauseMs: 60_000 } }],
  ['the wait for the budget', { retry: QUICK, budget: { burst: 0, perSuccess: 0, refillMs: 60_000 } }],
] as const)('an abort ends %s with its reason, and no retry follows', async ([, options]) => {
  const shop = startFailingShop(options);
  const abort = new AbortController();
  const reason = new Error('not wanted');
  const ended = rejection(shop.open().listOrders({}, abort.signal));
  await vi.advanceTimersByTimeAsync(10_000);
  abort.abort(reason);
  expect(await ended).toBe(reason);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shop.asked).toHaveLength(1);
});
