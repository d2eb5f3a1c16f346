import { assert, asyncProperty, boolean, integer } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import type { SimOrder } from '../../src/simulator/shop/sim-order.ts';
import { ascending, filterTime, get, idsOf, NOW } from './client.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ orders: 1500, days: 60, now: NOW });
});
afterAll(() => sim.close());

type Query = Readonly<Record<string, string | number>>;

/** Asks the API and a plain filter of the truth; both must agree, and on neither everything nor nothing. */
async function expectSame(query: Query, matches: (order: SimOrder) => boolean): Promise<void> {
  const answer = await get(sim, '/orders', { ...query, limit: 5000 });
  const expected = sim.shop.orders().filter(matches);
  expect(idsOf(answer)).toEqual(expected.map((order) => order.orderId).toReversed());
  expect(answer.json).toMatchObject({ total: expected.length });
  expect(expected.length).toBeGreaterThan(0);
  expect(expected.length).toBeLessThan(sim.shop.orders().length);
}

const includes = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
const isOrdered = (a: Temporal.PlainDateTime, b: Temporal.PlainDateTime) =>
  Temporal.PlainDateTime.compare(a, b) <= 0;
const some = (matches: (order: SimOrder) => boolean): SimOrder => {
  const order = sim.shop.orders().find(matches);
  if (order === undefined) throw new Error('the shop has no such order');
  return order;
};

test.each(['СОКОЛОВА', 'ёлкин', 'weiß'])('fio finds %s in any case', (part) =>
  expectSame({ fio: part }, (order) => includes(order.fio, part)),
);

test('address, email and phone match substrings', async () => {
  await expectSame({ address: 'казань, УЛ' }, (order) => includes(order.address, 'Казань, ул'));
  await expectSame({ email: '@EXAMPLE.org' }, (order) => order.email.endsWith('@example.org'));
  await expectSame({ phone: '+7 (916)' }, (order) => order.phone.startsWith('+7 (916)'));
});

test('sums are compared to the cent, both bounds included', async () => {
  const { sumCents } = some((order) => order.sumCents % 100 !== 0);
  const sum = (sumCents / 100).toFixed(2);
  await expectSame({ summ_from: sum }, (order) => order.sumCents >= sumCents);
  await expectSame({ summ_to: sum }, (order) => order.sumCents <= sumCents);
  await expectSame({ summ_from: sum, summ_to: sum }, (order) => order.sumCents === sumCents);
});

test('codes, colour, buyer and product are compared exactly', async () => {
  const productOid = some(() => true).lines[0]?.productOid ?? 0;
  const { buyerOid } = some((order) => order.buyerOid !== 6);
  await expectSame({ status: 'C' }, (order) => order.status === 'C');
  await expectSame({ status: '' }, (order) => order.status === '');
  await expectSame({ pay_status: 'HP' }, (order) => order.payStatus === 'HP');
  await expectSame({ color: 'purple' }, (order) => order.color === 'purple');
  await expectSame({ master_oid: 6 }, (order) => order.buyerOid === 6);
  await expectSame({ master_oid: buyerOid }, (order) => order.buyerOid === buyerOid);
  await expectSame({ product: productOid }, (order) =>
    order.lines.some((line) => line.productOid === productOid),
  );
});

test('any span of dates finds what was created in it, combined with another filter', async () => {
  const first = Temporal.PlainDateTime.from('2026-01-20T00:00');
  const seconds = integer({ min: 0, max: 50 * 86_400 });
  await assert(
    asyncProperty(seconds, seconds, boolean(), async (start, length, isPaid) => {
      const [from, to] = [first.add({ seconds: start }), first.add({ seconds: start + length })];
      const query = { date_from: filterTime(from), date_to: filterTime(to), limit: 5000 };
      const answer = await get(sim, '/orders', isPaid ? { ...query, pay_status: 'FP' } : query);
      const expected = sim.shop
        .orders()
        .filter(({ createdLocal }) => isOrdered(from, createdLocal) && isOrdered(createdLocal, to))
        .filter((order) => !isPaid || order.payStatus === 'FP');
      expect(ascending(idsOf(answer))).toEqual(ascending(expected.map((order) => order.orderId)));
    }),
    { numRuns: 40 },
  );
});

test('filters combine, and pages are cut from the result', async () => {
  const matching = sim.shop.orders().filter((order) => order.status === 'C' && order.buyerOid === 6);
  const query = { status: 'C', master_oid: 6, start: 5, limit: 20 };
  const answer = await get(sim, '/orders', query);
  expect(matching.length).toBeGreaterThan(25);
  expect(idsOf(answer)).toEqual(
    matching
      .map((order) => order.orderId)
      .toReversed()
      .slice(5, 25),
  );
  expect(answer.json).toMatchObject({ total: matching.length });
});
