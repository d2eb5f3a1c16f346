import { expect, test } from 'vitest';

import type { JsonValue } from '../../src/model/json.ts';
import type { ApiRequest } from '../../src/shop-api/wire/api-request.ts';
import { dataReader } from '../../src/shop-api/wire/read-answer.ts';
import { apiOf, rejection } from './api-of.ts';
import { ONE_ORDER } from './scripted-shop.ts';
import { answer, fail, isList, startTimedShop } from './timed-shop.ts';

test('requests outlast an outage whatever their attempts, and send next to nothing meanwhile', async () => {
  const end = 300_000;
  await using shop = await startTimedShop((response, request, nowMs) =>
    nowMs > 0 && nowMs < end ? fail(response) : answer(response, request),
  );
  const api = shop.open({ retry: { maxAttempts: 2 }, circuit: { failures: 3 } });
  await shop.run(() => api.listOrders({}));
  const ask = (index: number) => async () => {
    await shop.clock.sleep(1);
    await api.orderContent(String(index));
  };
  await shop.run(...Array.from({ length: 50 }, (_, index) => ask(index)));
  const during = shop.arrivals.filter(({ atMs }) => atMs > 0 && atMs < end);
  // The last probe came after the end.
  const probes = during.filter(({ url }) => /[?&]limit=1(&|$)/.test(url)).length;
  expect(probes).toBe(api.health.probes - 1);
  expect(during.length).toBeLessThan(25);
  // Those in flight as it began, and each of the others once.
  expect(api.counts.content).toBeLessThan(50 + 10);
  expect(api.health).toMatchObject({ circuit: 'closed', lowestConcurrency: 1 });
});

test('an outage is over with the first list, were there a message beside it, and not with a message alone', async () => {
  const end = 300_000;
  const list = JSON.stringify({ ...JSON.parse(ONE_ORDER), message: 'OK' });
  await using shop = await startTimedShop((response, request, nowMs) => {
    if (nowMs > 0 && nowMs < end / 2) return fail(response);
    if (nowMs > 0 && nowMs < end) return response.end('{"message":"we are back soon"}');
    return isList(request) ? response.end(list) : answer(response, request);
  });
  const api = shop.open({ retry: { maxAttempts: 2 }, circuit: { failures: 3 } });
  await shop.run(() => api.listOrders({}));
  const ask = (index: number) => async () => {
    await shop.clock.sleep(1);
    await api.orderContent(String(index));
  };
  await shop.run(...Array.from({ length: 5 }, (_, index) => ask(index)));
  expect(api.health.circuit).toBe('closed');
  const contents = shop.arrivals.filter((request) => !isList(request)).map(({ atMs }) => atMs);
  expect(contents.filter((atMs) => atMs > end / 2 && atMs < end)).toEqual([]);
  expect(contents.filter((atMs) => atMs >= end)).toHaveLength(5);
});

test('one record that always fails is given up after its attempts, and neither stops nor slows the others', async () => {
  await using shop = await startTimedShop((response, request) =>
    request.url.endsWith('/13') ? fail(response, 500) : answer(response, request),
  );
  const api = shop.open();
  await shop.run(() => api.listOrders({}));
  const poison = async () => {
    expect((await rejection(api.orderContent('13'))).message).toContain('HTTP 500');
  };
  await shop.run(poison);
  await shop.run(poison, ...['1', '2', '3'].map((id) => () => api.orderContent(id)));
  expect(shop.at('/13')).toHaveLength(10);
  expect(api.health.circuit).toBe('closed');
  expect(api.health.probes).toBeLessThanOrEqual(2);
  expect(shop.clock.nowMs(), 'nobody waits for a probe').toBeLessThan(1000);
});

test('a shop that fails at the first order of its list is taken to be down for one probe alone', async () => {
  await using shop = await startTimedShop((response, request) =>
    request.url.endsWith('/13') || request.url.endsWith('?limit=1')
      ? fail(response, 500)
      : answer(response, request),
  );
  const api = shop.open();
  await shop.run(() => api.listOrders({ limit: 2 }));
  for (let times = 0; times < 2; times++) {
    await shop.run(() => rejection(api.orderContent('13')));
  }
  // One attempt failed during what looked like an outage.
  expect(shop.at('/13')).toHaveLength(10 + 1);
  expect(shop.at('?limit=1'), 'once, since the second order is asked for from then on').toHaveLength(1);
});

test('a record that always fails is given up, however often the shop is down as well', async () => {
  let probes = 0;
  await using shop = await startTimedShop((response, request) => {
    if (request.url.endsWith('/13')) return fail(response, 500);
    if (/[?&]limit=1(&|$)/.test(request.url) && probes++ % 2 === 0) return fail(response);
    return answer(response, request);
  });
  const api = shop.open();
  await shop.run(() => api.listOrders({}));
  await shop.run(() => rejection(api.orderContent('13')));
  expect(shop.at('/13').length).toBeGreaterThan(5);
  expect(shop.at('/13').length).toBeLessThanOrEqual(30);
});

test('a pause between attempts holds no slot', async () => {
  await using shop = await startTimedShop((response, request) =>
    request.url.endsWith('/1') && shop.at('/1').length === 1 ? fail(response) : answer(response, request),
  );
  const api = apiOf(shop, { maxConcurrency: 1, retry: { firstPauseMs: 2000, maxPauseMs: 2000 } });
  const first = api.orderContent('1');
  await expect.poll(() => shop.at('/1').length).toBe(1);
  await Promise.all([first, api.orderContent('2')]);
  expect(shop.arrivals.map(({ url }) => url.at(-1))).toEqual(['1', '2', '1']);
});

test('only a login link is posted; everything else is a GET', async () => {
  await using shop = await startTimedShop((response) => response.end('1'));
  const api = apiOf(shop, { retry: { maxAttempts: 1 } });
  const asks = [api.listOrders({}), api.orderContent('1'), api.user('1'), api.groups({})];
  await Promise.all([...asks, api.loginLink({ by: 'login', value: 'x' })].map(rejection));
  const methods = shop.received.map(({ method, url }) => `${method} ${url}`);
  const gets = [
    'GET /adm/api/groups',
    'GET /adm/api/orders',
    'GET /adm/api/orders/1',
    'GET /adm/api/users/1',
  ];
  expect(methods.toSorted()).toEqual([...gets, 'POST /adm/api/auth/login']);
  const read = dataReader((value: JsonValue) => ({ value }));
  const orders = { route: 'orders', path: 'orders', read } as const;
  void ({ ...orders, method: 'GET' } satisfies ApiRequest<unknown>);
  const posted = { ...orders, method: 'POST', body: {} } as const;
  // @ts-expect-error the type allows nothing else
  void (posted satisfies ApiRequest<unknown>);
});
