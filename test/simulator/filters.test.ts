import { expect, test } from 'vitest';

import { startSimulator } from '../../src/simulator/server.ts';
import type { SimOrder } from '../../src/simulator/shop/sim-order.ts';
import { filterTime, get, idsOf, NOW } from './client.ts';

const includes = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

test('each documented filter finds what a plain filter of the truth does, and they combine', async () => {
  await using sim = await startSimulator({ orders: 1500, days: 60, now: NOW });
  const orders = sim.shop.orders();
  const some = orders.slice(700).find(({ sumCents, buyerOid }) => sumCents % 100 !== 0 && buyerOid !== 6);
  if (some === undefined) throw new Error('the shop has no orders');
  const { buyerOid, createdLocal, lines, sumCents } = some;
  const sum = (sumCents / 100).toFixed(2);
  const product = lines[0]?.productOid ?? 0;
  const isUntil = (one: Temporal.PlainDateTime, other: Temporal.PlainDateTime) =>
    Temporal.PlainDateTime.compare(one, other) <= 0;
  const filters: readonly (readonly [
    Readonly<Record<string, string | number>>,
    (order: SimOrder) => boolean,
  ])[] = [
    [{ fio: 'ёлкин' }, ({ fio }) => includes(fio, 'Ёлкин')],
    [{ address: 'казань, УЛ' }, ({ address }) => includes(address, 'Казань, ул')],
    [{ email: '@EXAMPLE.org' }, ({ email }) => email.endsWith('@example.org')],
    [{ phone: '+7 (916)' }, ({ phone }) => phone.startsWith('+7 (916)')],
    [{ summ_from: sum }, (order) => order.sumCents >= sumCents],
    [{ summ_from: sum, summ_to: sum }, (order) => order.sumCents === sumCents],
    [{ status: '' }, ({ status }) => status === ''],
    [{ status: 'C', master_oid: 6 }, (order) => order.status === 'C' && order.buyerOid === 6],
    [{ pay_status: 'HP' }, ({ payStatus }) => payStatus === 'HP'],
    [{ color: 'purple' }, ({ color }) => color === 'purple'],
    [{ master_oid: buyerOid }, (order) => order.buyerOid === buyerOid],
    [{ product }, (order) => order.lines.some(({ productOid }) => productOid === product)],
    [{ date_from: filterTime(createdLocal) }, (order) => isUntil(createdLocal, order.createdLocal)],
    [{ date_to: filterTime(createdLocal) }, (order) => isUntil(order.createdLocal, createdLocal)],
  ];
  for (const [query, matches] of filters) {
    const expected = orders
      .filter(matches)
      .map(({ orderId }) => orderId)
      .toReversed();
    const answer = await get(sim, '/orders', { ...query, limit: 5000 });
    expect(idsOf(answer), JSON.stringify(query)).toEqual(expected);
    expect(answer.json).toMatchObject({ total: expected.length });
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(orders.length);
    expect(idsOf(await get(sim, '/orders', { ...query, start: 1, limit: 3 }))).toEqual(expected.slice(1, 4));
  }
});
