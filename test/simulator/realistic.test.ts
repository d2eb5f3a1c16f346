import { expect, test } from 'vitest';

import { PLAIN } from '../../src/simulator/shop/dialect.ts';
import { clockGaps, localSeconds, toPlain, toSeconds } from '../../src/simulator/shop/shop-clock.ts';
import type { SimOrder } from '../../src/simulator/shop/sim-order.ts';
import { SimulatedShop } from '../../src/simulator/shop/simulated-shop.ts';
import { NOW } from './client.ts';

const settings = { orders: 20_000, days: 730, seed: 3, timezone: 'Europe/Berlin', now: NOW, dialect: PLAIN };
const orders = new SimulatedShop(settings).orders();

test('orders lie in the given span, none in the future and none in an hour that the clocks skipped', () => {
  const now = localSeconds(NOW, 'Europe/Berlin');
  const times = orders.map((order) => toSeconds(order.createdLocal));
  expect(orders).toHaveLength(20_000);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(now - 730 * 86_400);
  expect(Math.max(...times)).toBeLessThanOrEqual(now);
  expect(orders.every((order) => toSeconds(order.updatedLocal) <= now)).toBe(true);
  expect(orders.every((order) => toSeconds(order.updatedLocal) >= toSeconds(order.createdLocal))).toBe(true);
  const gaps = clockGaps(now - 730 * 86_400, now, 'Europe/Berlin');
  expect(gaps.map((gap) => toPlain(gap.from).toString())).toEqual([
    '2024-03-31T02:00:00',
    '2025-03-30T02:00:00',
  ]);
  expect(times.some((time) => gaps.some((gap) => time >= gap.from && time < gap.to))).toBe(false);
});

test('an order adds up, every documented code occurs, old orders are mostly done, and a third is of guests', () => {
  for (const { lines, sumCents, deliveryPriceCents } of orders) {
    expect(sumCents).toBe(lines.reduce((sum, { totalCents }) => sum + totalCents, deliveryPriceCents));
    for (const line of lines) expect(line.totalCents).toBe(line.unitPriceCents * line.quantity);
  }
  const share = (matches: (order: SimOrder) => boolean, among = orders) =>
    among.filter(matches).length / among.length;
  const values = (key: (order: SimOrder) => string) =>
    [...new Set(orders.map(key))].toSorted().join(' ').trim();
  expect(values(({ status }) => status)).toBe('A C F G K M N O P Q R S U V Z');
  expect(values(({ payStatus }) => payStatus)).toBe('FP HP S');
  expect(values(({ color }) => color)).toBe('blue green orange pink purple red yellow');
  expect(share(({ status }) => /^[CFRKQ]$/.test(status), orders.slice(0, 15_000))).toBeGreaterThan(0.93);
  expect(share(({ buyerOid }) => buyerOid === 6)).toBeCloseTo(0.3, 1);
  expect(share(({ createdLocal }) => createdLocal.hour === 20)).toBeGreaterThan(
    5 * share(({ createdLocal }) => createdLocal.hour === 3),
  );
});
