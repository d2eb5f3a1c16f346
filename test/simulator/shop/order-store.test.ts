import { array, assert, boolean, integer, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';

import { PLAIN } from '../../../src/simulator/shop/dialect.ts';
import { toPlain, toSeconds } from '../../../src/simulator/shop/shop-clock.ts';
import { OrderStore } from '../../../src/simulator/shop/order-store.ts';
import { makeWorld } from '../../../src/simulator/shop/world.ts';
import { NOW } from '../client.ts';

const orders = makeWorld({
  orders: 12,
  days: 2,
  seed: 1,
  timezone: 'UTC',
  now: NOW,
  dialect: PLAIN,
}).orders.sorted.map((entry) => entry.order);

test('whatever is put, moved and deleted, the store stays sorted, complete and indexed by id', () => {
  const step = record({
    index: nat(11),
    created: integer({ min: 0, max: 6 }),
    isDelete: boolean(),
  });
  assert(
    property(array(step, { maxLength: 40 }), (steps) => {
      const store = new OrderStore(orders);
      const model = new Map(orders.map((order) => [order.orderId, order]));
      for (const { index, created, isDelete } of steps) {
        const order = orders[index];
        if (order === undefined) throw new Error('no such order');
        if (isDelete) {
          expect(store.delete(order.orderId)).toBe(model.delete(order.orderId));
        } else {
          const moved = { ...order, createdLocal: toPlain(created) };
          store.put(moved);
          model.set(order.orderId, moved);
        }
      }
      const expected = [...model.values()].toSorted(
        (a, b) => toSeconds(a.createdLocal) - toSeconds(b.createdLocal) || a.orderId - b.orderId,
      );
      expect(store.sorted.map((entry) => entry.order)).toEqual(expected);
      for (const order of expected) expect(store.get(order.orderId)).toBe(order);
      for (const time of [0, 3, 7]) {
        const earlier = expected.filter((order) => toSeconds(order.createdLocal) < time).length;
        expect(store.countBefore(time)).toBe(earlier);
      }
    }),
  );
});
