import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { makeSimulator } from '../../../src/simulator/server.ts';
import type { SimOrder } from '../../../src/simulator/shop/sim-order.ts';
import { inOwnWarehouse } from '../../support/sweep.ts';
import { life } from './life.ts';
import { keyOfOrder, Witness } from './oracle.ts';
import { runLife } from './run-life.ts';

const DAY = '2026-03-10';
const at = (time: string) => ({ createdLocal: Temporal.PlainDateTime.from(`${DAY}T${time}`) });
const list = { route: 'orders', method: 'GET', path: '/adm/api/orders' } as const;
const asked = { ...list, query: { date_from: '09-03-2026 23:59:00', date_to: '11-03-2026 00:01:00' } };

function shopOfTwo() {
  const { shop } = makeSimulator({ orders: 0, days: 30, now: Temporal.Instant.from('2026-03-15T10:00:00Z') });
  const [one, other] = [shop.insertOrder(at('10:00')), shop.insertOrder(at('11:00'))];
  return { shop, one, other, witness: new Witness(shop) };
}
const keys = (...given: SimOrder[]) => new Set(given.map(keyOfOrder));

test('a day is correct if it equals the shop at some moment since it was requested', () => {
  const { shop, one, other, witness } = shopOfTwo();
  witness.asked(asked);
  expect(witness.judge(DAY, keys(one, other))).toBeUndefined();
  const third = shop.insertOrder(at('12:00'));
  const stranger = { ...third, orderId: 7 };
  witness.changed();
  shop.deleteOrder(one.orderId);
  witness.changed();
  expect(witness.judge(DAY, keys(one, other))).toBeUndefined();
  expect(witness.judge(DAY, keys(one, other, third))).toBeUndefined();
  expect(witness.judge(DAY, keys(other, third))).toBeUndefined();
  // The first is gone and the third not there yet: the shop was never so.
  expect(witness.judge(DAY, keys(other))).toMatchObject({
    kind: 'never at one moment',
    lost: [],
    ghosts: [],
  });
  expect(witness.judge(DAY, keys(one, third))).toMatchObject({ kind: 'wrong', lost: [keyOfOrder(other)] });
  expect(witness.judge(DAY, keys(one, other, stranger))).toMatchObject({
    kind: 'wrong',
    ghosts: [keyOfOrder(stranger)],
  });
});

test('the shop before the request of a day does not count, and a day must be requested', () => {
  const { shop, one, other, witness } = shopOfTwo();
  expect(witness.judge(DAY, keys(one, other))).toMatchObject({ kind: 'never asked for' });
  shop.deleteOrder(one.orderId);
  witness.changed();
  witness.asked(asked);
  expect(witness.judge(DAY, keys(one, other))).toMatchObject({ kind: 'wrong', ghosts: [keyOfOrder(one)] });
  expect(witness.judge(DAY, keys(other))).toBeUndefined();
  expect(witness.judge('2026-03-12', keys())).toMatchObject({ kind: 'never asked for' });
});

/** From now on the database takes every third order for deleted. */
const OVERLOOK = `
  CREATE FUNCTION public.overlook() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.missing_since := now();
    NEW.deleted_at := now();
    RETURN NEW;
  END $$;
  CREATE TRIGGER overlook BEFORE INSERT OR UPDATE ON core.orders
  FOR EACH ROW WHEN (NEW.order_id % 3 = 0) EXECUTE FUNCTION public.overlook()`;

test('days that lack orders are caught, and so are orders missing once the shop is honest', async () => {
  await inOwnWarehouse(async (warehouse) => {
    await warehouse.client.query(OVERLOOK);
    const lost = new Set<string>();
    for (const [number, given] of fc.sample(life, { seed: 1, numRuns: 8 }).entries()) {
      const chapters = given.chapters.map((one) => ({
        ...one,
        turn: undefined,
        midTurn: undefined,
        drift: 0,
      }));
      const birth = { dialect: {}, pageCap: 500 };
      const plain = { ...given, orders: 20, refused: 0, isStartGiven: true, birth, chapters };
      const { falseDays, differing } = await runLife(warehouse, `shop-${number}`, plain);
      expect(falseDays.flatMap(({ ghosts }) => ghosts)).toEqual([]);
      expect(differing.length).toBeGreaterThan(0);
      for (const day of falseDays) for (const id of day.lost) lost.add(id);
    }
    expect(lost.size).toBeGreaterThan(10);
    expect([...lost].filter((key) => Number.parseInt(key, 10) % 3 !== 0)).toEqual([]);
  });
});
