import { expect, test } from 'vitest';

import { PLAIN, WEIRD } from '../../../src/simulator/shop/dialect.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { get, NOW } from '../client.ts';
import { until } from '../../support/until.ts';

test('the same options give the same shop, changes included; another seed gives another', async () => {
  for (const dialect of [PLAIN, WEIRD]) {
    const states = [];
    for (const seed of [7, 7, 8]) {
      await using sim = await startSimulator({ orders: 200, days: 20, now: NOW, seed, dialect });
      const groups = (await get(sim, '/groups')).text;
      sim.shop.tick(NOW.add({ minutes: 3 }));
      sim.shop.editOrder(sim.shop.orders()[0]?.orderId ?? 0);
      states.push(JSON.stringify([sim.shop.orders(), sim.shop.users()]) + groups);
    }
    expect(states[0]).toBe(states[1]);
    expect(states[0]).not.toBe(states[2]);
  }
});

test('a deleted order is gone, and its id is not reused', async () => {
  await using sim = await startSimulator({ orders: 20, now: NOW });
  const { orderId } = sim.shop.insertOrder();
  sim.shop.deleteOrder(orderId);
  expect(sim.shop.order(orderId)).toBeUndefined();
  expect((await get(sim, `/orders/${orderId}`)).status).toBe(404);
  expect(sim.shop.insertOrder().orderId).toBeGreaterThan(orderId);
  expect(() => sim.shop.deleteOrder(orderId)).toThrow(`no order ${orderId}`);
});

test('a live shop changes by itself until it is closed', async () => {
  const sim = await startSimulator({ orders: 50, tickEveryMs: 10 });
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
