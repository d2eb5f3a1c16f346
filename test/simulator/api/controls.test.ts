import { expect, test } from 'vitest';

import { startSimulator } from '../../../src/simulator/server.ts';
import { get, idsOf, NOW, request, rowsOf } from '../client.ts';

const OPTIONS = { orders: 30, days: 10, now: NOW, admin: true };

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

test('other processes can do the same through /_sim', async () => {
  await using sim = await startSimulator(OPTIONS);
  const admin = async (method: string, path: string, body: unknown) =>
    request(sim, `/_sim${path}`, { method, body: JSON.stringify(body) });
  const listed = async () => idsOf(await get(sim, '/orders')).length;
  expect((await admin('PATCH', '/pages', { cap: 4 })).status).toBe(204);
  expect(await listed()).toBe(4);
  await admin('PATCH', '/pages', { cap: null, bytes: 1 });
  expect(await listed()).toBe(30);
  expect((await admin('PATCH', '/dialect', { pages: 'bytes', falseEmpties: 0, bom: true })).status).toBe(204);
  expect(await listed()).toBe(1);
  const refused = await admin('PATCH', '/dialect', { total: 'honest' });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('total is one of matches');
  const [order] = sim.shop.orders();
  await admin('POST', '/refusals', { what: 'order', id: order?.orderId });
  expect((await get(sim, `/orders/${order?.orderId}`)).status).toBe(403);
  await admin('DELETE', '/refusals', {});
  expect((await get(sim, `/orders/${order?.orderId}`)).status).toBe(200);
  await admin('PATCH', `/orders/${order?.orderId}`, { createdText: '' });
  expect(sim.shop.order(order?.orderId ?? 0)?.createdText).toBe('');
});
