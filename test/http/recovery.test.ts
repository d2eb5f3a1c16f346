/** What the client does once a shop is there again, and how it tells a shop from a record. */
import { expect, test } from 'vitest';

import { QUICK, rejection } from '../shop-api/api-of.ts';
import { answer, fail, startTimedShop } from '../shop-api/timed-shop.ts';

test('a shop that cannot show the first order of its list is found again after an outage, and the next one begins anew', async () => {
  let isAway = false;
  await using shop = await startTimedShop((response, request) => {
    const isFirstProbe = request.url.endsWith('/orders?limit=1');
    const isBroken = isFirstProbe || request.url.endsWith('/13');
    return isAway || isBroken ? fail(response) : answer(response, request);
  });
  const api = shop.open({ retry: QUICK, circuit: { failures: 2 } });
  const ask = (id: string) => shop.run(() => api.orderContent(id).catch(() => id));
  await ask('1');
  isAway = true;
  await shop.run(
    () => api.orderContent('2'),
    async () => {
      await shop.clock.sleep(60_000);
      isAway = false;
    },
  );
  const began = shop.clock.nowMs();
  expect(began).toBeGreaterThanOrEqual(60_000);
  const probes = shop.at('?limit=1').length;
  await ask('13');
  expect(api.health.circuit).toBe('closed');
  expect(shop.clock.nowMs() - began, 'nobody waits for a later probe').toBeLessThan(100);
  expect(shop.at('?limit=1').length - probes).toBeLessThanOrEqual(1);
});

test('successes bring the requests in flight back to the most allowed, one by one', async () => {
  let isAway = true;
  await using shop = await startTimedShop((response, request) =>
    isAway ? fail(response) : answer(response, request),
  );
  const api = shop.open({ maxConcurrency: 2, retry: { maxAttempts: 1 } });
  await rejection(api.listOrders({}));
  isAway = false;
  expect(api.health).toMatchObject({ concurrency: 1, lowestConcurrency: 1 });
  for (let successes = 0; successes < 30; successes++) await api.listOrders({});
  expect(api.health).toMatchObject({ concurrency: 1, lowestConcurrency: 1 });
  // How many it takes depends on how even the answers are.
  for (let successes = 0; api.health.concurrency < 2 && successes < 5000; successes++)
    await api.listOrders({});
  expect(api.health).toMatchObject({ concurrency: 2, lowestConcurrency: 1 });
});

test.each([
  [200, 'found'],
  [404, 'found'],
  [403, 'refused'],
])('after a refused record, a list with HTTP %i shows that other records are %s', async (status, fate) => {
  await using shop = await startTimedShop((response, request) => {
    if (request.url.endsWith('/1')) return fail(response, 403);
    return request.url.includes('?limit=1') && status !== 200
      ? fail(response, status)
      : answer(response, request);
  });
  const api = shop.open({ maxConcurrency: 1 });
  await shop.run(
    async () => expect(await rejection(api.orderContent('1'))).toMatchObject({ status: 403 }),
    async () => {
      const other = await api.orderContent('2').catch((error: unknown) => error);
      expect(other).toMatchObject(fate === 'found' ? { kind: 'found' } : { status, scope: 'shop' });
    },
  );
  expect(shop.at('/2')).toHaveLength(fate === 'found' ? 1 : 0);
});
