/** Retry-After: a pause for every request of the shop. */
import { expect, test } from 'vitest';

import { UnavailableError } from '../../src/model/errors.ts';
import { QUICK, rejection } from '../shop-api/api-of.ts';
import { type Act, answer, fail, startTimedShop } from '../shop-api/timed-shop.ts';

/** The first responses request these pauses, in seconds; then the shop answers. */
function requesting(...pauses: readonly number[]): Act {
  const left = [...pauses];
  return (response, request) => {
    const seconds = left.shift();
    if (seconds === undefined) return answer(response, request);
    return fail(response, 429, { 'Retry-After': String(seconds) });
  };
}

test.each([
  [30, 1],
  [1, 30],
])('of two pauses, of %i s and then of %i, the one that ends later holds', async (...pauses) => {
  await using shop = await startTimedShop(requesting(...pauses));
  const api = shop.open({ maxConcurrency: 2 });
  await shop.run(...['1', '2'].map((id) => () => api.orderContent(id)));
  expect(shop.arrivals.map(({ atMs }) => atMs)).toEqual([0, 0, 30_000, 30_000]);
});

test.for([
  [60, {}],
  [3, { retry: { ...QUICK, maxRetryAfterMs: 3000 } }],
] as const)(
  'the longest pause that is waited for is the one allowed, to the second: %i s',
  async ([most, options]) => {
    await using shop = await startTimedShop(requesting(most, most + 1));
    const api = shop.open(options);
    await shop.run(async () => {
      const error = await rejection(api.listOrders({}));
      expect(error).toBeInstanceOf(UnavailableError);
      expect(error).toMatchObject({ retryAfterMs: (most + 1) * 1000 });
      expect(error.message).toBe(
        `GET /orders: the shop answered HTTP 429 and requested a pause of ${most + 1} s`,
      );
    });
    expect(shop.arrivals.map(({ atMs }) => atMs)).toEqual([0, most * 1000]);
  },
);

test('requests during a pause that is too long to wait for fail with its remaining time, an hour at most', async () => {
  await using shop = await startTimedShop(requesting(7200, 5000));
  const api = shop.open({ maxConcurrency: 2 });
  const messages: string[] = [];
  await shop.run(
    ...['1', '2'].map((id) => async () => messages.push((await rejection(api.orderContent(id))).message)),
  );
  const requested = 'GET /orders/ID: the shop answered HTTP 429 and requested a pause of';
  expect(messages.toSorted()).toEqual(
    [`${requested} 5000 s`, `${requested} 7200 s`].map((text) => `${text}, of which at most an hour is kept`),
  );
  await shop.run(async () => {
    await shop.clock.sleep(200_000);
    const error = await rejection(api.listOrders({}));
    expect(error).toMatchObject({ name: 'UnavailableError', retryAfterMs: 3_400_000 });
    expect(error.message).toBe('GET /orders: the shop requested a pause of 3400 s');
  });
  expect(shop.arrivals).toHaveLength(2);
});

test.each([400, 429, 500, 503])('a pause is respected whatever the status: %i', async (status) => {
  await using shop = await startTimedShop((response, request, nowMs) =>
    nowMs === 0 ? fail(response, status, { 'Retry-After': '20' }) : answer(response, request),
  );
  const api = shop.open();
  await shop.run(
    () => api.orderContent('1'),
    async () => {
      await shop.clock.sleep(5000);
      expect(api.health).toMatchObject({ isFailing: false });
      expect(api.health.pausedUntil?.epochMilliseconds).toBe(20_000);
      await api.orderContent('2');
    },
  );
  expect(shop.at('/1')).toEqual([0, 20_000]);
  expect(shop.at('/2')).toEqual([20_000]);
});

test('requests that were in the queue when a pause was requested are not sent before its end', async () => {
  await using shop = await startTimedShop(requesting(60));
  const api = shop.open({ maxConcurrency: 1 });
  await shop.run(...['1', '2', '3', '4', '5'].map((id) => () => api.orderContent(id)));
  expect(shop.arrivals.map(({ atMs }) => atMs)).toEqual([0, ...Array.from({ length: 5 }, () => 60_000)]);
});

test('an abort ends the wait for a pause with its reason', async () => {
  await using shop = await startTimedShop(requesting(50));
  const api = shop.open();
  const abort = new AbortController();
  const reason = new Error('not wanted');
  const ask = () => async () => expect(await rejection(api.listOrders({}, abort.signal))).toBe(reason);
  await shop.run(ask(), async () => {
    await shop.clock.sleep(20_000);
    abort.abort(reason);
  });
  expect(shop.clock.nowMs()).toBe(20_000);
  expect(shop.arrivals).toHaveLength(1);
});
