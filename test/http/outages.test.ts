/** A shop that is down: what is sent meanwhile, and how it ends. */
import { setImmediate } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { TransientError, UnavailableError } from '../../src/model/errors.ts';
import type { ShopApi, ShopApiOptions } from '../../src/shop-api/shop-api.ts';
import { apiOf, QUICK, rejection } from '../shop-api/api-of.ts';
import { type Act, answer, fail, startTimedShop, type TimedShop } from '../shop-api/timed-shop.ts';

const isProbe = ({ url }: { readonly url: string }) => /[?&]limit=1(&|$)/.test(url);

/** A client that was answered once, so that a shop that fails is taken to be down. */
async function startClient(shop: TimedShop, options: Partial<ShopApiOptions> = {}): Promise<ShopApi> {
  const api = shop.open({ retry: { ...QUICK, maxAttempts: 1 }, ...options });
  await shop.run(() => api.listOrders({}));
  return api;
}

const TWENTY = Array.from({ length: 20 }, (_, index) => String(index + 1));

/** Asks for an order once. */
async function ask(shop: TimedShop, api: ShopApi, id: string): Promise<void> {
  await shop.run(() => api.orderContent(id).catch(() => undefined));
}

/** Answers the first request, and then as told. */
const afterwards =
  (act: Act): Act =>
  (response, request, ...rest) =>
    request.url === '/adm/api/orders' ? answer(response, request) : act(response, request, ...rest);

const awayForAMinute = afterwards((response, request, nowMs) =>
  nowMs < 60_000 ? fail(response) : answer(response, request),
);

test('the shop counts as down after the set number of failures in a row, not before', async () => {
  await using shop = await startTimedShop(
    afterwards((response, request) => {
      if (isProbe(request) || request.url.endsWith('/7')) return answer(response, request);
      // What concerns a record alone does not count, neither for nor against the shop.
      return fail(response, request.url.endsWith('/4') ? 400 : 500);
    }),
  );
  const api = await startClient(shop, { circuit: { failures: 3 } });
  for (const id of ['1', '2', '7', '3', '4', '5', '4']) await ask(shop, api, id);
  expect(api.health).toMatchObject({ probes: 0, circuit: 'closed' });
  await ask(shop, api, '6');
  // The list, one order, three times one that cannot be read, and the probe.
  expect(api.health).toMatchObject({ probes: 1, circuit: 'closed', answers: 5 });
});

test('five failures in a row are enough where nothing else is said', async () => {
  await using shop = await startTimedShop(
    afterwards((response, request) => (isProbe(request) ? answer(response, request) : fail(response))),
  );
  const api = await startClient(shop);
  for (const id of ['1', '2', '3', '4']) await ask(shop, api, id);
  expect(api.health.probes).toBe(0);
  await ask(shop, api, '5');
  expect(api.health.probes).toBe(1);
});

test('during an outage one probe at a time is sent and nothing else, however many requests wait', async () => {
  const probe = Promise.withResolvers<void>();
  await using shop = await startTimedShop(
    afterwards(async (response, request) => {
      if (isProbe(request)) await probe.promise;
      return api.health.probes === 0 ? fail(response) : answer(response, request);
    }),
  );
  const api = await startClient(shop, { retry: QUICK, circuit: { failures: 4 }, maxConcurrency: 8 });
  const asked = shop.run(...TWENTY.map((id) => () => api.orderContent(id)));
  await expect.poll(() => shop.arrivals.some(isProbe)).toBe(true);
  // Whoever would not wait for the probe sends another one by now.
  for (let turns = 0; turns < 50; turns++) await setImmediate();
  expect(api.health).toMatchObject({ circuit: 'half-open', probes: 1 });
  // Besides it and the list at first, what was in flight as the shop went down.
  expect(shop.arrivals.length).toBeLessThanOrEqual(2 + 8);
  probe.resolve();
  await asked;
  expect(api.health).toMatchObject({ circuit: 'closed', probes: 1 });
  expect(new Set(shop.arrivals.map(({ url }) => url)).size).toBe(22);
});

test('a shop that answers with HTML pages while it is down is waited for as well', async () => {
  await using shop = await startTimedShop(
    afterwards((response, request, nowMs) =>
      nowMs < 60_000 ? response.end('<html>we are at lunch') : answer(response, request),
    ),
  );
  const api = await startClient(shop, { retry: QUICK, maxConcurrency: 8 });
  await shop.run(
    ...TWENTY.map((id) => async () => expect(await api.orderContent(id)).toMatchObject({ kind: 'found' })),
  );
  expect(shop.clock.nowMs()).toBeGreaterThanOrEqual(60_000);
  // The list at first, and what was sent before five had failed.
  expect(shop.arrivals.filter((request) => !isProbe(request)).length).toBeLessThanOrEqual(1 + 20 + 5 + 8);
});

test('probes come at growing intervals, up to the longest', async () => {
  await using shop = await startTimedShop(afterwards((response) => fail(response)));
  const api = await startClient(shop, {
    circuit: { failures: 1, firstProbeMs: 1000, maxProbeMs: 8000 },
    maxOutageMs: 60_000,
  });
  await ask(shop, api, '1');
  const times = [...new Set(shop.arrivals.filter(isProbe).map(({ atMs }) => atMs))];
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  for (const [index, gap] of gaps.entries()) {
    const longest = Math.min(8000, 1000 * 2 ** index);
    expect(gap).toBeGreaterThanOrEqual(longest / 2);
    expect(gap).toBeLessThanOrEqual(longest);
  }
  expect(gaps.length).toBeGreaterThan(6);
});

test('a shop that stays down is given up after the allowed time', async () => {
  await using shop = await startTimedShop(afterwards((response) => fail(response, 502)));
  for (const [maxOutageMs, told] of [
    [80_000, '80 s'],
    [90_000, '2 min'],
    // Where nothing else is said.
    [undefined, '15 min'],
  ] as const) {
    const began = shop.clock.nowMs();
    const api = await startClient(shop, { circuit: { failures: 1 }, ...(maxOutageMs && { maxOutageMs }) });
    await shop.run(async () => {
      const error = await rejection(api.orderContent('1'));
      expect(error).toBeInstanceOf(UnavailableError);
      expect(error.message).toBe(
        `GET /orders/ID: the shop has not answered for ${told} (last: the shop answered HTTP 502)`,
      );
    });
    expect(shop.clock.nowMs() - began).toBe(maxOutageMs ?? 900_000);
  }
});

test('a pause requested in answer to a probe is respected', async () => {
  await using shop = await startTimedShop(
    afterwards((response, request, nowMs) =>
      nowMs < 40_000
        ? fail(response, 502, isProbe(request) ? { 'Retry-After': '40' } : {})
        : answer(response, request),
    ),
  );
  const api = await startClient(shop, { circuit: { failures: 1 }, retry: QUICK });
  await shop.run(async () => expect(await api.orderContent('1')).toMatchObject({ kind: 'found' }));
  expect(shop.arrivals.filter(isProbe).map(({ atMs }) => atMs)).toEqual([0, 40_000]);
});

test('a record at which the shop goes down each time is given up', async () => {
  await using shop = await startTimedShop(
    afterwards((response, request) =>
      isProbe(request) && api.health.probes % 2 === 0 ? answer(response, request) : fail(response),
    ),
  );
  const api = await startClient(shop, { circuit: { failures: 1 } });
  await shop.run(async () => expect(await rejection(api.orderContent('1'))).toMatchObject({ status: 502 }));
  expect(shop.at('/1')).toHaveLength(1 + 5);
});

test('a login link that fails as the shop goes down is not retried', async () => {
  await using shop = await startTimedShop(awayForAMinute);
  const api = await startClient(shop, { circuit: { failures: 1 }, retry: QUICK });
  await shop.run(async () =>
    expect(await rejection(api.loginLink({ by: 'login', value: 'x' }))).toMatchObject({ status: 502 }),
  );
  expect(api.health.circuit).not.toBe('closed');
  expect(shop.at('/auth/login')).toHaveLength(1);
});

test('a request that was answered while the shop went down is not repeated', async () => {
  await using shop = await startTimedShop(
    afterwards(async (response, request, nowMs) => {
      if (request.url.endsWith('/2')) await expect.poll(() => api.health.circuit).not.toBe('closed');
      else if (nowMs < 60_000) return fail(response);
      return answer(response, request);
    }),
  );
  const api = await startClient(shop, { circuit: { failures: 1 }, retry: QUICK });
  await shop.run(...['1', '2'].map((id) => () => api.orderContent(id)));
  expect(shop.at('/2')).toHaveLength(1);
});

test.for([
  ['not wanted', new Error('not wanted')],
  // As where the time of a sweep is over.
  ['out of time', new TransientError('out of time')],
] as const)(
  'an aborted probe (%s) decides nothing: the next waiting request probes at once',
  async ([, reason]) => {
    const abort = new AbortController();
    const probed = Promise.withResolvers<void>();
    await using shop = await startTimedShop(
      afterwards((response, request) => {
        if (!isProbe(request)) return request.url.endsWith('/1') ? fail(response) : answer(response, request);
        // The first probe is never answered.
        return api.health.probes === 1 ? probed.resolve() : answer(response, request);
      }),
    );
    const api = await startClient(shop, { circuit: { failures: 1 }, retry: QUICK });
    await shop.run(
      async () =>
        expect((await rejection(api.orderContent('1', abort.signal))).message).toContain(reason.message),
      async () => {
        await probed.promise;
        const second = api.orderContent('2');
        await setImmediate();
        abort.abort(reason);
        expect(await second).toMatchObject({ kind: 'found' });
      },
    );
    expect(api.health).toMatchObject({ probes: 2, circuit: 'closed' });
    expect(shop.clock.nowMs(), 'nobody waited for a later probe').toBeLessThan(100);
  },
);

test('whoever waits during an outage stops waiting when aborted, and the others go on', async () => {
  await using shop = await startTimedShop(awayForAMinute);
  const api = await startClient(shop, { circuit: { failures: 1 }, retry: QUICK });
  const abort = new AbortController();
  const reason = new Error('not wanted');
  await shop.run(
    async () => expect(await rejection(api.orderContent('1', abort.signal))).toBe(reason),
    async () => expect(await api.orderContent('2')).toMatchObject({ kind: 'found' }),
    async () => {
      await shop.clock.sleep(30_000);
      const waitsUntilMs = api.health.waitsUntil?.epochMilliseconds ?? 0;
      expect(Math.round(waitsUntilMs / 60_000), 'a quarter of an hour after it went down').toBe(15);
      abort.abort(reason);
    },
  );
  expect(api.health.waitsUntil).toBeUndefined();
  expect(shop.at('/1').length).toBeLessThanOrEqual(1);
  expect(shop.clock.nowMs()).toBeGreaterThanOrEqual(60_000);
});

test('health reports that the shop fails until the next answer', async () => {
  await using shop = await startTimedShop(
    afterwards((response, request) => {
      if (request.url.endsWith('/1')) return fail(response);
      return request.url.endsWith('/2') ? fail(response, 400) : answer(response, request);
    }),
  );
  expect(apiOf(shop).health).toMatchObject({
    answers: 0,
    circuit: 'closed',
    isFailing: false,
    pausedUntil: undefined,
    probes: 0,
  });
  const api = await startClient(shop, { maxConcurrency: 6, maxRps: 1234 });
  expect(api.health).toMatchObject({ isFailing: false, answers: 1, maxConcurrency: 6, maxRps: 1234 });
  await ask(shop, api, '1');
  expect(api.health).toMatchObject({ isFailing: true, answers: 1, concurrency: 1, lowestConcurrency: 1 });
  await ask(shop, api, '2');
  expect(api.health).toMatchObject({ isFailing: false, answers: 2 });
  await ask(shop, api, '1');
  await ask(shop, api, '3');
  expect(api.health).toMatchObject({ isFailing: false, answers: 3, concurrency: 1, lowestConcurrency: 1 });
});
