import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { get, HEADERS, idsOf, NOW, request, type Row, rowsOf } from './client.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ orders: 400, days: 30, now: NOW });
});
afterAll(() => sim.close());

const ORDER_FIELDS =
  `order_id phone email address comment fio fields status pay_status currency pay_method summ count
  paid discount delivery delivery_id delivery_price weight master_oid views user_unique_key color users created updated
  time hash`.split(/\s+/);

test('an order row has every documented field in its documented format', async () => {
  const rows = rowsOf(await get(sim, '/orders', { limit: 400 }));
  expect(rows).toHaveLength(400);
  for (const row of rows) {
    expect(Object.keys(row).toSorted()).toEqual(ORDER_FIELDS.toSorted());
    expect(row['created']).toMatch(/^\d{2}\.\d{2}\.\d{4}$/);
    expect(row['time']).toMatch(/^\d{2}:\d{2}$/);
    expect(row['updated']).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
  }
});

test('a list without parameters is the hundred newest orders, and its pages join to the whole', async () => {
  const newest = sim.shop.orders().map((order) => order.orderId);
  const expected = newest.toReversed();
  const first = await get(sim, '/orders');
  expect(idsOf(first)).toEqual(expected.slice(0, 100));
  expect(first.json).toMatchObject({ total: 400 });
  const pages = await Promise.all([0, 150, 300].map((start) => get(sim, '/orders', { start, limit: 150 })));
  expect(pages.flatMap(idsOf)).toEqual(expected);
  expect((await get(sim, '/orders', { start: 400 })).json).toEqual({ orders: [], total: 400 });
});

test('a folder with more groups than the default limit is paged by start', async () => {
  const sizes = Map.groupBy(sim.shop.groups(), (group) => group.parentOid);
  const [parent = 0, members = []] = [...sizes].find(([, groups]) => groups.length > 100) ?? [];
  const first = (await get(sim, '/groups', { parent_oid: parent })).json as Row[];
  const rest = (await get(sim, '/groups', { parent_oid: parent, start: 100 })).json as Row[];
  expect(first).toHaveLength(100);
  expect([...first, ...rest].map((group) => group['oid'])).toEqual(members.map((group) => group.oid));
});

test('a login link needs no body, has a new token each time, and is refused for an unknown user', async () => {
  const post = (body?: string) =>
    request(sim, '/adm/api/auth', { method: 'POST', ...(body === undefined ? {} : { body }) });
  const [first, second] = [await post(), await post('{}')];
  expect(first.json).toMatchObject({ login: 'admin' });
  expect((first.json as Row)['actkey']).not.toBe((second.json as Row)['actkey']);
  expect((await post('{"email":"nobody@example.com"}')).status).toBe(404);
  expect((await post('[1]')).status).toBe(400);
  expect((await request(sim, '/adm/api/auth')).status).toBe(405);
});

test('wrong credentials are refused', async () => {
  const json = { 'Content-Type': 'application/json' };
  const wrong = { ...json, Authorization: `Basic ${btoa('admin:other')}` };
  for (const headers of [json, wrong]) {
    for (const path of ['/orders', '/orders/1', '/groups', '/users/1', '/nowhere']) {
      expect((await request(sim, `/adm/api${path}`, { headers })).status).toBe(401);
    }
  }
});

test('requests that the documentation does not allow are refused', async () => {
  const headers = { Authorization: HEADERS.Authorization };
  expect((await request(sim, '/adm/api/orders', { headers })).status).toBe(415);
  for (const method of ['POST', 'PUT', 'DELETE']) {
    expect((await request(sim, '/adm/api/orders', { method })).status).toBe(405);
    expect((await request(sim, '/adm/api/users/1', { method })).status).toBe(405);
  }
  expect((await get(sim, '/nowhere')).status).toBe(404);
});

test.each([
  [{ start: -1 }, 'start'],
  [{ limit: 'all' }, 'limit'],
  [{ date_from: '2026-01-01' }, 'date_from'],
  [{ date_to: '31-02-2026 00:00:00' }, 'date_to'],
  [{ summ_from: 'much' }, 'summ_from'],
  [{ datefrom: '01-01-2026 00:00:00' }, 'datefrom'],
])('a list request with %o is refused by name', async (query, name) => {
  const answer = await get(sim, '/orders', query);
  expect(answer.status).toBe(400);
  expect((answer.json as Row)['message']).toContain(name);
});
