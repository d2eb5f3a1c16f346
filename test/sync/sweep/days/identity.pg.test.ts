import type { Client } from 'pg';
import { describe, expect, test } from 'vitest';

import type { Simulator } from '../../../../src/simulator/server.ts';
import { everyday } from '../../../support/long.ts';
import { openShop } from '../../../support/shop.ts';

const PRESENT = Temporal.Instant.from('2026-03-20T20:00:00Z');
const SIZES = [
  { name: 'a shop of one page', pageLimit: 500, orders: 30 },
  { name: 'a shop of many windows', pageLimit: 4, orders: 80 },
];

const openDays = async (client: Client) => {
  const { rows } = await client.query<{ day: string; reason: string | null }>(
    'SELECT day::text, last_error AS reason FROM tested.days WHERE verified_at IS NULL ORDER BY day',
  );
  return rows;
};
const ordersOf = async (client: Client) => {
  const { rows } = await client.query<{ id: string }>(
    'SELECT order_id::text AS id FROM tested.orders WHERE missing_since IS NULL AND deleted_at IS NULL',
  );
  return new Set(rows.map(({ id }) => id));
};

describe.each(everyday(SIZES, 'a shop of many windows'))('in $name', ({ pageLimit, orders }) => {
  const settings = { pageLimit };
  const openSized = async () => {
    const ground = await openShop({ orders, days: 15, seed: 5, now: PRESENT });
    return { ...ground, sweep: () => ground.sweep({ kind: 'backfill' }, settings) };
  };

  const dayOf = (simulator: Simulator, orderId: number) =>
    simulator.shop
      .orders()
      .find((order) => order.orderId === orderId)
      ?.createdLocal.toPlainDate()
      .toString() ?? '';

  /** Two orders, the second of which is placed a while after the first. */
  const twoOrders = (simulator: Simulator, apart: Temporal.DurationLike) => {
    const createdLocal = Temporal.PlainDateTime.from('2026-03-12T09:30');
    const [first, second] = [
      simulator.shop.insertOrder({ createdLocal }),
      simulator.shop.insertOrder({ createdLocal: createdLocal.add(apart) }),
    ];
    return [first.orderId, second.orderId] as const;
  };

  test.each([
    ['minutes', { minutes: 20 }, true],
    ['hours', { hours: 9 }, false],
    ['four days', { days: 4 }, true],
    // The stored one is read first, and the other one last.
    ['five days the other way', { days: -5 }, false],
  ] as const)(
    'two orders under one id, %s apart, never leave both their days verified (%j, from the start: %s)',
    async (_what, apart, isFromStart) => {
      const { client, clock, shop, simulator, sweep, verify } = await openSized();
      const [first, second] = twoOrders(simulator, apart);
      const days = [...new Set([dayOf(simulator, first), dayOf(simulator, second)])].toSorted();
      if (!isFromStart) expect(await sweep()).toMatchObject({ status: 'ok' });
      shop.setRaw(second, { order_id: first });
      for (let count = 0; count < 3; count++) {
        clock.pass({ hours: 192 });
        expect(await sweep()).toMatchObject({ status: 'partial' });
        const unverified = (await openDays(client)).map(({ day }) => day);
        expect(
          unverified.filter((day) => days.includes(day)),
          `sweep ${count}`,
        ).not.toEqual([]);
      }
      const rest = shop.orders().filter(({ orderId }) => orderId !== first && orderId !== second);
      const stored = await ordersOf(client);
      expect(rest.filter(({ orderId }) => !stored.has(String(orderId)))).toEqual([]);
      const verified = await verify({ makeDue: false }, settings);
      expect(verified.is_equal && verified.status === 'ok').toBe(false);
      shop.setRaw(second, { order_id: second });
      for (let count = 0; count < 2; count++) {
        clock.pass({ minutes: 10 });
        await sweep();
      }
      expect(await sweep()).toMatchObject({ status: 'ok' });
      expect(await openDays(client)).toEqual([]);
    },
  );

  const NO_INTEGER = 'the shop lists an order whose order_id is no 64-bit integer, so it cannot be stored';
  const UNPLACED =
    'the shop lists an element that has neither a usable order_id nor a date, which may be an order';
  test.each([
    [{ order_id: '9223372036854775808' }, NO_INTEGER],
    [{ order_id: 9.5 }, NO_INTEGER],
    [{ order_id: null, created: null, time: null }, UNPLACED],
  ])('an order with %j leaves its day unverified', async (fields, reason) => {
    const { client, clock, shop, simulator, sweep, verify } = await openSized();
    // Between two of its day.
    shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-03-12T09:00') });
    const [own, other] = twoOrders(simulator, { minutes: 3 });
    shop.setRaw(own, fields);
    for (let count = 0; count < 2; count++) {
      clock.pass({ hours: 192 });
      const result = await sweep();
      const why = expect.stringContaining(reason);
      expect(await openDays(client)).toEqual([{ day: dayOf(simulator, own), reason: why }]);
      expect(result).toMatchObject({ status: 'partial', problems: expect.arrayContaining([why]) });
    }
    expect(await ordersOf(client)).toContain(String(other));
    expect((await ordersOf(client)).size).toBe(shop.orders().length - 1);
    const verified = await verify({ makeDue: false }, settings);
    expect(verified.problems).toEqual([reason]);
    shop.setRaw(own, { order_id: own });
    clock.pass({ hours: 1 });
    expect(await sweep()).toMatchObject({ orders_new: 1 });
    expect(await openDays(client)).toEqual([]);
  });
});

test('verify reports two orders under one id that no sweep has seen, on whatever pages they are', async () => {
  const { shop, sweep, verify } = await openShop({ orders: 30, days: 15, seed: 5, now: PRESENT });
  expect(await sweep()).toMatchObject({ status: 'ok' });
  const [first = 0, second = 0] = ['2026-03-12T09:30', '2026-03-07T09:30'].map(
    (time) => shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from(time) }).orderId,
  );
  shop.setRaw(second, { order_id: first });
  const { problems } = await verify({ makeDue: false }, { pageLimit: 4 });
  expect(problems).toEqual([expect.stringContaining(`two different orders under the order_id ${first}`)]);
});

test('an element that says nothing of itself may be of any day beyond the order beside it, at either end of the list', async () => {
  const made = { orders: 30, days: 15, seed: 5, now: PRESENT };
  const { client, clock, shop, sweep } = await openShop(made);
  const newest = shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-03-20T20:30') });
  const oldest = shop.insertOrder({ createdLocal: Temporal.PlainDateTime.from('2026-02-01T09:00') });
  for (const [order, day] of [
    [newest, '2026-03-20'],
    [oldest, '2026-02-01'],
  ] as const) {
    shop.setRaw(order.orderId, { order_id: null, created: null, time: null });
    clock.pass({ hours: 192 });
    const began = clock.now();
    await sweep();
    const { rows } = await client.query<{ day: string }>(
      'SELECT day::text FROM tested.days WHERE verified_at >= $1',
      [began.toString()],
    );
    expect(rows.map((each) => each.day)).not.toContain(day);
    shop.setRaw(order.orderId, { order_id: order.orderId });
    for (let count = 0; count < 2; count++) {
      clock.pass({ hours: 192 });
      await sweep();
    }
    expect(await openDays(client)).toEqual([]);
  }
});
