import { expect, test } from 'vitest';

import { PLAIN, WEIRD } from '../../../src/simulator/shop/dialect.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import { get, idsOf, NOW, type Row, rowsOf } from '../client.ts';
import { until } from '../../support/until.ts';

const start = (seed = 1): Promise<Simulator> => startSimulator({ orders: 200, days: 20, now: NOW, seed });

async function rowOf(sim: Simulator, orderId: number): Promise<Row | undefined> {
  return rowsOf(await get(sim, '/orders', { limit: 500 })).find((row) => row['order_id'] === orderId);
}

function firstId(sim: Simulator): number {
  const [order] = sim.shop.orders();
  if (order === undefined) throw new Error('the shop has no orders');
  return order.orderId;
}

test('the same options give the same shop, changes included; another seed gives another', async () => {
  for (const dialect of [PLAIN, WEIRD]) {
    const states = [];
    for (const seed of [7, 7, 8]) {
      await using sim = await startSimulator({ orders: 200, days: 20, now: NOW, seed, dialect });
      const groups = (await get(sim, '/groups')).text;
      sim.shop.tick(NOW.add({ minutes: 3 }));
      sim.shop.editOrder(firstId(sim));
      states.push(JSON.stringify([sim.shop.orders(), sim.shop.users()]) + groups);
    }
    expect(states[0]).toBe(states[1]);
    expect(states[0]).not.toBe(states[2]);
  }
});

test('an inserted order is created now, gets a new id, and is first in the list', async () => {
  await using sim = await start();
  const highest = Math.max(...sim.shop.orders().map((order) => order.orderId));
  const order = sim.shop.insertOrder({ status: 'A', fio: 'Новый Покупатель' });
  expect(order.orderId).toBeGreaterThan(highest);
  expect(order.createdLocal.toString()).toBe('2026-03-15T11:30:20');
  expect(idsOf(await get(sim, '/orders', { limit: 1 }))).toEqual([order.orderId]);
  expect(await rowOf(sim, order.orderId)).toMatchObject({ fio: 'Новый Покупатель', status: 'A' });
});

test('every edit changes the list row and moves `updated` on, though the clock stands still', async () => {
  await using sim = await start();
  for (const order of sim.shop.orders().slice(0, 30)) {
    const rows = [await rowOf(sim, order.orderId)];
    for (let edits = 0; edits < 2; edits += 1) {
      sim.shop.editOrder(order.orderId);
      rows.push(await rowOf(sim, order.orderId));
    }
    const updated = rows.map((row) => String(row?.['updated']));
    expect(updated).toEqual([...new Set(updated)].toSorted());
    const withoutTime = rows.map((row) => JSON.stringify({ ...row, updated: '' }));
    expect(new Set(withoutTime).size).toBe(3);
  }
});

test('totals follow lines and payment, unless they are given', async () => {
  await using sim = await start();
  const id = firstId(sim);
  const [line] = sim.shop.order(id)?.lines ?? [];
  if (line === undefined) throw new Error('the order has no lines');
  const lines = [{ ...line, quantity: 2, unitPriceCents: 1050, totalCents: 2100 }];
  sim.shop.editOrder(id, { lines, deliveryPriceCents: 333, payStatus: 'HP' });
  expect(await rowOf(sim, id)).toMatchObject({ summ: 24.33, paid: 7.3, count: 2 });
  sim.shop.editOrder(id, { sumCents: 1 });
  expect(await rowOf(sim, id)).toMatchObject({ summ: 0.01, count: 2 });
  sim.shop.editOrder(id, { payStatus: 'FP', paidCents: 5 });
  expect(await rowOf(sim, id)).toMatchObject({ summ: 24.33, paid: 0.05 });
});

test('viewing an order changes its views and nothing else', async () => {
  await using sim = await start();
  const before = await rowOf(sim, firstId(sim));
  sim.shop.viewOrder(firstId(sim));
  expect(await rowOf(sim, firstId(sim))).toEqual({ ...before, views: Number(before?.['views']) + 1 });
});

test('a deleted order is gone, and its id is not reused', async () => {
  await using sim = await start();
  const { orderId } = sim.shop.insertOrder();
  sim.shop.deleteOrder(orderId);
  expect(sim.shop.order(orderId)).toBeUndefined();
  expect(await rowOf(sim, orderId)).toBeUndefined();
  expect((await get(sim, `/orders/${orderId}`)).status).toBe(404);
  expect(sim.shop.insertOrder().orderId).toBeGreaterThan(orderId);
  expect(() => sim.shop.deleteOrder(orderId)).toThrow(`no order ${orderId}`);
});

test('a moved order is listed at its new date', async () => {
  await using sim = await start();
  sim.shop.moveOrder(firstId(sim), Temporal.PlainDateTime.from('2025-02-03T04:05:06'));
  const oldest = rowsOf(await get(sim, '/orders', { limit: 500 })).at(-1);
  expect(oldest).toMatchObject({ order_id: firstId(sim), created: '03.02.2025', time: '04:05' });
});

test('wire fields and lines can be overridden and restored without touching the true order', async () => {
  await using sim = await start();
  const id = firstId(sim);
  const [good, truth] = [await rowOf(sim, id), sim.shop.order(id)];
  sim.shop.setRaw(id, { summ: '1 234,50', created: '31.02.2025', status: undefined, extra: [1] });
  sim.shop.setRawContent(id, [{ oid: null }, 'junk']);
  const { status: _status, ...others } = good ?? {};
  expect(await rowOf(sim, id)).toEqual({ ...others, summ: '1 234,50', created: '31.02.2025', extra: [1] });
  expect((await get(sim, `/orders/${id}`)).json).toEqual({
    ordercontent: [{ oid: null }, 'junk'],
    success: 1,
  });
  expect(sim.shop.order(id)).toBe(truth);
  sim.shop.setRaw(id, undefined);
  sim.shop.setRawContent(id, undefined);
  expect(await rowOf(sim, id)).toEqual(good);
});

test('a tick adds orders at its time and advances some statuses', async () => {
  await using sim = await start();
  const before = new Map(sim.shop.orders().map((order) => [order.orderId, order]));
  sim.shop.tick(NOW.add({ minutes: 10 }), { newOrders: 3, edits: 4 });
  const after = sim.shop.orders();
  const added = after.filter((order) => !before.has(order.orderId));
  const changed = after.filter((order) => before.has(order.orderId) && before.get(order.orderId) !== order);
  expect(added.map((order) => order.createdLocal.toString())).toEqual(Array(3).fill('2026-03-15T11:40:20'));
  expect(changed).toHaveLength(4);
  for (const order of changed) expect(order.status).not.toBe(before.get(order.orderId)?.status);
});

test('a live shop changes by itself until it is closed', async () => {
  const sim = await startSimulator({ orders: 50, now: NOW, live: { everyMs: 10, newOrders: 2, edits: 1 } });
  await until('six orders have come', () => sim.shop.orders().length >= 56);
  await sim.close();
  const count = sim.shop.orders().length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sim.shop.orders()).toHaveLength(count);
});

test('invalid options are refused with the reason', async () => {
  await expect(startSimulator({ orders: -1 })).rejects.toThrow(
    'orders must be a whole number of 0 or more, not -1',
  );
  await expect(startSimulator({ days: 0 })).rejects.toThrow('days must be above 0');
  await expect(startSimulator({ timezone: 'Mars/Base' })).rejects.toThrow(RangeError);
  await using sim = await startSimulator({ orders: 1 });
  const port = Number(new URL(sim.url).port);
  await expect(startSimulator({ orders: 1, port })).rejects.toThrow('EADDRINUSE');
});
