import { expect, test } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { get, NOW, rowsOf } from '../client.ts';

const OPTIONS = { orders: 30, days: 10, now: NOW };

test('the dialect and the page caps can change while the shop is served', async () => {
  await using sim = await startSimulator(OPTIONS);
  const first = async () => rowsOf(await get(sim, '/orders', { limit: 20 }));
  const before = await first();
  sim.shop.setDialect({ numbers: 'string', listOrder: 'asc' });
  const ascending = await first();
  expect(ascending[0]?.['order_id']).toBe(String(sim.shop.orders()[0]?.orderId));
  sim.shop.setDialect({ numbers: 'number' });
  expect((await first())[0]?.['order_id']).toBe(sim.shop.orders()[0]?.orderId);
  sim.shop.setDialect({ listOrder: 'desc' });
  expect(await first()).toEqual(before);
  sim.pages.cap = 3;
  expect(await first()).toHaveLength(3);
  sim.pages.cap = undefined;
  expect(await first()).toHaveLength(20);
});

test('single records are refused, and nothing else', async () => {
  await using sim = await startSimulator(OPTIONS);
  const [first, second] = sim.shop.orders();
  const [user, other] = sim.shop.users();
  const paths = [
    `/orders/${first?.orderId}`,
    `/users/${user?.oid}`,
    `/users/${user?.login}`,
    '/groups',
    `/orders/${second?.orderId}`,
    `/users/${other?.oid}`,
    '/orders',
  ];
  const statuses = () => Promise.all(paths.map(async (path) => (await get(sim, path)).status));
  sim.shop.refuse('order', first?.orderId);
  sim.shop.refuse('user', user?.oid);
  sim.shop.refuse('groups');
  expect(await statuses()).toEqual([403, 403, 403, 403, 200, 200, 200]);
  sim.shop.allow('groups');
  expect(await statuses()).toEqual([403, 403, 403, 200, 200, 200, 200]);
  sim.shop.allowAll();
  expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200, 200]);
});
