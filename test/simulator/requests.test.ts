import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import { get, idsOf, NOW, request } from './client.ts';
import { watchLists } from '../support/list-requests.ts';

test('requests are counted by route, refused and failed ones too', async () => {
  await using sim = await startSimulator({ orders: 50, now: NOW });
  await get(sim, '/orders');
  await get(sim, '/orders/5');
  await get(sim, '/users/5');
  await get(sim, '/groups');
  await request(sim, '/adm/api/auth', { method: 'POST' });
  sim.faults.failNext(1, 'http-500');
  await get(sim, '/orders');
  await request(sim, '/adm/api/orders', { headers: {} });
  expect(sim.requests.counts()).toEqual({ orders: 3, order: 1, users: 1, groups: 1, auth: 1 });
  expect(sim.requests.count('orders')).toBe(3);
  expect(sim.requests.count()).toBe(7);
  sim.requests.reset();
  expect(sim.requests.count()).toBe(0);
});

test('list requests are logged as they were sent', async () => {
  await using sim = await startSimulator({ orders: 50, now: NOW });
  const lists = watchLists(sim.requests);
  await get(sim, '/orders', { start: 10, limit: 20, date_from: '01-03-2026 00:00:00', status: 'C' });
  await get(sim, '/orders');
  expect(lists).toMatchObject([
    { start: 10, limit: 20, dateFrom: '01-03-2026 00:00:00', dateTo: undefined, status: 'C' },
    { start: undefined, limit: undefined },
  ]);
});

test('the shop can change between a request and its response', async () => {
  await using sim = await startSimulator({ orders: 50, now: NOW });
  const inserted: number[] = [];
  const off = sim.requests.onRequest((asked) => {
    if (asked.route === 'orders') inserted.push(sim.shop.insertOrder().orderId);
  });
  const [first] = idsOf(await get(sim, '/orders', { limit: 1 }));
  off();
  const [second] = idsOf(await get(sim, '/orders', { limit: 1 }));
  expect(inserted).toHaveLength(1);
  expect([first, second]).toEqual([inserted[0], inserted[0]]);
});

test('the peak of requests in flight is known', async () => {
  await using sim = await startSimulator({ orders: 50, now: NOW, latencyMs: 80 });
  await get(sim, '/orders');
  expect(sim.requests.peak()).toBe(1);
  await Promise.all([1, 2, 3].map((id) => get(sim, `/orders/${id}`)));
  expect(sim.requests.peak()).toBe(3);
});

test('latency is added to every response', async () => {
  await using sim = await startSimulator({ orders: 10, now: NOW, latencyMs: 100 });
  const before = performance.now();
  await get(sim, '/groups');
  expect(performance.now() - before).toBeGreaterThan(95);
});
