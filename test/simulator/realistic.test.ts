import { expect, test } from 'vitest';

import { PLAIN } from '../../src/simulator/shop/dialect.ts';
import { clockGaps, localSeconds, toPlain, toSeconds } from '../../src/simulator/shop/shop-clock.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import type { SimOrder } from '../../src/simulator/shop/sim-order.ts';
import { makeWorld } from '../../src/simulator/shop/world.ts';
import { get, NOW, rowsOf } from './client.ts';
import { longTest } from '../support/long-test.ts';

const settings = { orders: 20_000, days: 730, seed: 3, timezone: 'Europe/Berlin', now: NOW, dialect: PLAIN };
const orders: readonly SimOrder[] = makeWorld(settings).orders.sorted.map((entry) => entry.order);

const share = (matches: (order: SimOrder) => boolean, among = orders) =>
  among.filter(matches).length / among.length;
const countBy = (key: (order: SimOrder) => unknown) =>
  [...Map.groupBy(orders, key).values()].map((same) => same.length).toSorted((a, b) => b - a);

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

test('the sum of an order is its lines plus delivery, the total of a line its price times its quantity', () => {
  for (const order of orders) {
    const lines = order.lines.reduce((sum, line) => sum + line.totalCents, 0);
    expect(order.sumCents).toBe(lines + order.deliveryPriceCents);
    expect(order.lines.length).toBeGreaterThanOrEqual(1);
    expect(order.lines.length).toBeLessThanOrEqual(6);
    for (const line of order.lines) expect(line.totalCents).toBe(line.unitPriceCents * line.quantity);
  }
});

test('every documented status, payment status and colour occurs, and old orders are mostly done', () => {
  const values = (key: (order: SimOrder) => string) =>
    [...new Set(orders.map(key))].toSorted().join(' ').trim();
  expect(values((order) => order.status)).toBe('A C F G K M N O P Q R S U V Z');
  expect(orders.some((order) => order.status === '')).toBe(true);
  expect(values((order) => order.payStatus)).toBe('FP HP S');
  expect(values((order) => order.color)).toBe('blue green orange pink purple red yellow');
  const old = orders.slice(0, 15_000);
  expect(share((order) => 'CFRKQ'.includes(order.status) && order.status !== '', old)).toBeGreaterThan(0.93);
  expect(share((order) => 'AUNGPSO'.includes(order.status), orders.slice(-20))).toBeGreaterThan(0.5);
});

test('guests are about a third, some users come back often, some goods sell best', () => {
  const guests = share((order) => order.buyerOid === 6);
  expect(guests).toBeGreaterThan(0.27);
  expect(guests).toBeLessThan(0.33);
  const registered = countBy((order) => order.buyerOid).slice(1);
  expect(registered[0]).toBeGreaterThan(50);
  expect(registered.at(-1)).toBe(1);
  const minutes = countBy((order) => order.createdLocal.toString({ smallestUnit: 'minute' }));
  expect(minutes[0]).toBeGreaterThanOrEqual(2);
});

test('December sells more than July, Monday more than Saturday, the evening more than the night', () => {
  const count = (matches: (at: Temporal.PlainDateTime) => boolean) =>
    share((order) => matches(order.createdLocal));
  expect(count((at) => at.month === 12)).toBeGreaterThan(1.3 * count((at) => at.month === 7));
  expect(count((at) => at.dayOfWeek === 1)).toBeGreaterThan(1.1 * count((at) => at.dayOfWeek === 6));
  expect(count((at) => at.hour === 20)).toBeGreaterThan(5 * count((at) => at.hour === 3));
});

longTest('a shop of 100,000 orders starts, and its pages hold what was asked', async () => {
  await using sim = await startSimulator({ orders: 100_000, days: 720, now: NOW });
  const page = await get(sim, '/orders', { start: 60_000, limit: 500 });
  expect(rowsOf(page)).toHaveLength(500);
  expect(page.json).toMatchObject({ total: 100_000 });
});
