import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import { get, NOW, request, type Row } from '../client.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ orders: 1200, days: 20, now: NOW, admin: true });
});
afterAll(() => sim.close());

async function admin(method: string, path: string, body?: unknown): Promise<{ status: number; json: Row }> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const answer = await request(sim, `/_sim${path}`, { ...init, headers: {} });
  return { status: answer.status, json: (answer.json ?? {}) as Row };
}

test('it is not served by default', async () => {
  await using closed = await startSimulator({ orders: 1 });
  expect((await request(closed, '/_sim/truth')).status).toBe(404);
});

test('orders are inserted, edited and deleted', async () => {
  const inserted = await admin('POST', '/orders', { createdLocal: '2026-03-02T10:00:05', status: 'A' });
  expect(inserted.status).toBe(201);
  expect(inserted.json).toMatchObject({ createdLocal: '2026-03-02T10:00:05', status: 'A' });
  const id = Number(inserted.json['orderId']);
  expect((await admin('PATCH', `/orders/${id}`, { status: 'N' })).json).toMatchObject({ status: 'N' });
  expect(sim.shop.order(id)?.status).toBe('N');
  expect((await admin('PATCH', `/orders/${id}`)).json['status']).not.toBe('N');
  expect((await admin('DELETE', `/orders/${id}`)).status).toBe(204);
  expect(sim.shop.order(id)).toBeUndefined();
  expect(await admin('DELETE', `/orders/${id}`)).toMatchObject({ status: 404 });
});

test('a bad body is refused with the reason', async () => {
  const { status, json } = await admin('POST', '/orders', { createdLocal: 'yesterday', colour: 'red' });
  expect(status).toBe(400);
  expect(json['message']).toMatch(/colour[^]*createdLocal|createdLocal[^]*colour/);
  expect((await request(sim, '/_sim/tick', { method: 'POST', body: '{' })).status).toBe(400);
});

test('faults can be planned', async () => {
  const planned = await admin('POST', '/faults', {
    count: 1,
    fault: 'http-429',
    route: 'orders',
    retryAfter: 3,
  });
  expect(planned.json).toEqual({ pending: 1 });
  const answer = await get(sim, '/orders');
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '3']);
  expect((await admin('POST', '/faults', { fault: 'meteor' })).status).toBe(400);
});

test('a tick advances the time', async () => {
  const count = sim.shop.orders().length;
  const ticked = await admin('POST', '/tick', { now: '2026-03-15T11:00:00Z', newOrders: 4 });
  expect(ticked.json).toEqual({ now: '2026-03-15T11:00:00Z', orders: count + 4 });
});

test('requests to the shop are counted, those to /_sim are not', async () => {
  await admin('DELETE', '/requests');
  await get(sim, '/groups');
  expect((await admin('GET', '/requests')).json).toEqual({ groups: 1 });
});

test('the truth is one order per line, with exact amounts', async () => {
  const { text } = await request(sim, '/_sim/truth');
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  expect(records).toEqual(
    sim.shop.orders().map(
      (order) =>
        expect.objectContaining({
          orderId: order.orderId,
          sum: (order.sumCents / 100).toFixed(2),
          createdLocal: order.createdLocal.toString({ smallestUnit: 'second' }),
          lines: order.lines.map(
            (line) =>
              expect.objectContaining({ oid: line.oid, total: (line.totalCents / 100).toFixed(2) }) as Row,
          ),
        }) as Row,
    ),
  );
});
