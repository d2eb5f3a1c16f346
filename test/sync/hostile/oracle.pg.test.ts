import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/client.ts';
import { makeSimulator } from '../../../src/simulator/server.ts';
import { reachShopsByFetch } from '../../support/in-process-shop.ts';
import { inWarehouse } from '../../support/sweep.ts';
import { life } from './life.ts';
import { SweepWitness } from './oracle.ts';
import { runLife } from './run-life.ts';

let unreach: () => void;
beforeAll(() => {
  unreach = reachShopsByFetch();
});
afterAll(() => unreach());

const DAY = '2026-03-10';
const at = (time: string) => ({ createdLocal: Temporal.PlainDateTime.from(`${DAY}T${time}`) });
const list = { route: 'orders', method: 'GET', path: '/adm/api/orders' } as const;
const asked = { ...list, query: { date_from: '09-03-2026 23:59:00', date_to: '11-03-2026 00:01:00' } };

function shopOfTwo() {
  const { shop } = makeSimulator({ orders: 0, days: 30, now: Temporal.Instant.from('2026-03-15T10:00:00Z') });
  const [one, other] = [shop.insertOrder(at('10:00')).orderId, shop.insertOrder(at('11:00')).orderId];
  return { shop, one, other, witness: new SweepWitness(shop) };
}
const ids = (...given: number[]) => new Set(given.map(String));

test('a day is right when it is what the shop was at one moment since it was asked for', () => {
  const { shop, one, other, witness } = shopOfTwo();
  witness.asked(asked);
  expect(witness.judge(DAY, ids(one, other))).toBeUndefined();
  const third = shop.insertOrder(at('12:00')).orderId;
  witness.changed();
  shop.deleteOrder(one);
  witness.changed();
  expect(witness.judge(DAY, ids(one, other))).toBeUndefined();
  expect(witness.judge(DAY, ids(one, other, third))).toBeUndefined();
  expect(witness.judge(DAY, ids(other, third))).toBeUndefined();
  // The first is gone and the third not there yet: the shop was never so.
  expect(witness.judge(DAY, ids(other))).toMatchObject({ kind: 'never at one moment', lost: [], ghosts: [] });
  expect(witness.judge(DAY, ids(one, third))).toMatchObject({ kind: 'wrong', lost: [String(other)] });
  expect(witness.judge(DAY, ids(one, other, 7))).toMatchObject({ kind: 'wrong', ghosts: ['7'] });
});

test('what the shop was before the day was asked for does not count, and a day must be asked for', () => {
  const { shop, one, other, witness } = shopOfTwo();
  expect(witness.judge(DAY, ids(one, other))).toMatchObject({ kind: 'never asked for' });
  shop.deleteOrder(one);
  witness.changed();
  witness.asked(asked);
  expect(witness.judge(DAY, ids(one, other))).toMatchObject({ kind: 'wrong', ghosts: [String(one)] });
  expect(witness.judge(DAY, ids(other))).toBeUndefined();
  expect(witness.judge('2026-03-12', ids())).toMatchObject({ kind: 'never asked for' });
});

const isOverlooked = (orderId: string) => Number(orderId) % 3 === 0;

test('a reader that overlooks orders is caught', async () => {
  const overlooking = (api: ShopApi): ShopApi => ({
    ...api,
    listOrders: async (query, signal) => {
      const page = await api.listOrders(query, signal);
      const rows = page.rows.filter(({ orderId }) => !isOverlooked(orderId));
      return { ...page, rows, received: rows.length, total: undefined };
    },
  });
  await inWarehouse(async (warehouse) => {
    const lost = new Set<string>();
    for (const [number, given] of fc.sample(life, { seed: 1, numRuns: 12 }).entries()) {
      const chapters = given.chapters.map((one) => ({ ...one, turn: undefined, midTurn: undefined }));
      const plain = { ...given, orders: 20, isStartGiven: true, birth: { dialect: {} }, chapters };
      const { falseDays } = await runLife(warehouse, `shop-${number}`, plain, overlooking);
      for (const day of falseDays) for (const id of day.lost) lost.add(id);
    }
    expect(lost.size).toBeGreaterThan(5);
    expect([...lost].filter((id) => !isOverlooked(id))).toEqual([]);
  });
});
