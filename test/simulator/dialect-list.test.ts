import { expect, test } from 'vitest';

import type { Dialect } from '../../src/simulator/shop/dialect.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { ascending, filterTime, get, idsOf, NOW, type Row } from './client.ts';

function start(dialect: Partial<Dialect>, pageCap?: number): Promise<Simulator> {
  return startSimulator({
    orders: 300,
    days: 30,
    now: NOW,
    dialect,
    ...(pageCap === undefined ? {} : { pageCap }),
  });
}

test('orders may be an object keyed by id, which is [] when empty', async () => {
  await using sim = await start({ orders: 'object' });
  const { orders } = (await get(sim, '/orders', { limit: 5 })).json as { orders: Record<string, Row> };
  expect(Array.isArray(orders)).toBe(false);
  expect(Object.keys(orders)).toHaveLength(5);
  for (const [id, row] of Object.entries(orders)) expect(id).toBe(String(row['order_id']));
  expect((await get(sim, '/orders', { fio: 'nobody' })).json).toEqual({ orders: [], total: 0 });
});

test('an empty answer may be a bare []', async () => {
  await using sim = await start({ emptyAnswer: 'array' });
  expect((await get(sim, '/orders', { fio: 'nobody' })).text).toBe('[]');
});

test('the list is in the order that the dialect names, and repeatable', async () => {
  const ids = async (listOrder: Dialect['listOrder']) => {
    await using sim = await start({ listOrder, ids: 'shuffled' });
    const pages = [
      await get(sim, '/orders', { limit: 200 }),
      await get(sim, '/orders', { start: 200, limit: 200 }),
    ];
    const byDate = sim.shop.orders().map((order) => order.orderId);
    return { listed: pages.flatMap(idsOf), byDate, byId: byDate.toSorted((a, b) => b - a) };
  };
  const [asc, desc, byId, none] = [
    await ids('asc'),
    await ids('desc'),
    await ids('id-desc'),
    await ids('shuffled'),
  ];
  expect(asc.listed).toEqual(asc.byDate);
  expect(desc.listed).toEqual(desc.byDate.toReversed());
  expect(byId.listed).toEqual(byId.byId);
  expect(ascending(none.listed)).toEqual(ascending(none.byDate));
  for (const other of [none.byDate, none.byDate.toReversed(), none.byId])
    expect(none.listed).not.toEqual(other);
});

test('ids may follow the dates or not', async () => {
  const isAscending = async (ids: Dialect['ids']) => {
    await using sim = await start({ ids });
    const all = sim.shop.orders().map((order) => order.orderId);
    return all.every((id, index) => index === 0 || id > (all[index - 1] ?? 0));
  };
  expect(await isAscending('by-date')).toBe(true);
  expect(await isAscending('shuffled')).toBe(false);
});

test('total counts matches or all orders, as a number or a string, or is absent', async () => {
  const total = async (dialect: Dialect['total']) => {
    await using sim = await start({ total: dialect });
    const matches = sim.shop.orders().filter((order) => order.status === 'C').length;
    return [((await get(sim, '/orders', { status: 'C', limit: 3 })).json as Row)['total'], matches];
  };
  const [counted, matches] = await total('matches');
  expect(counted).toBe(matches);
  expect((await total('matches-string'))[0]).toBe(String(matches));
  expect((await total('all'))[0]).toBe(300);
  expect((await total('all-string'))[0]).toBe('300');
  expect((await total('absent'))[0]).toBeUndefined();
});

test.each([
  ['inclusive', 'second', [true, false]],
  ['exclusive', 'second', [false, false]],
  ['inclusive', 'minute', [true, true]],
  ['exclusive', 'minute', [false, false]],
] as const)(
  'date_to %s by the %s: orders on the boundary are found: %o',
  async (dateTo, datePrecision, found) => {
    await using sim = await start({ dateTo, datePrecision });
    const boundary = Temporal.PlainDateTime.from('2026-03-01T12:00');
    const place = (seconds: number) =>
      sim.shop.insertOrder({ createdLocal: boundary.add({ seconds }) }).orderId;
    const [before, onIt, later, next] = [place(-1), place(0), place(31), place(60)];
    const ids = idsOf(await get(sim, '/orders', { date_to: filterTime(boundary), limit: 500 }));
    expect([onIt, later].map((id) => ids.includes(id))).toEqual(found);
    expect(ids).toContain(before);
    expect(ids).not.toContain(next);
  },
);

test('date_from with minute precision finds the whole minute', async () => {
  const createdLocal = Temporal.PlainDateTime.from('2026-03-01T12:00:10');
  const found = async (datePrecision: Dialect['datePrecision']) => {
    await using sim = await start({ datePrecision });
    const { orderId } = sim.shop.insertOrder({ createdLocal });
    const query = { date_from: filterTime(createdLocal.add({ seconds: 20 })), limit: 500 };
    return idsOf(await get(sim, '/orders', query)).includes(orderId);
  };
  expect(await found('second')).toBe(false);
  expect(await found('minute')).toBe(true);
});

test('the date filter may compare the last change, or be ignored', async () => {
  const query = { date_from: '10-03-2026 00:00:00', limit: 500 };
  await using updated = await start({ dateFilter: 'updated' });
  const day = Temporal.PlainDateTime.from('2026-03-10T00:00');
  const changed = updated.shop
    .orders()
    .filter((order) => Temporal.PlainDateTime.compare(order.updatedLocal, day) >= 0);
  const ids = idsOf(await get(updated, '/orders', query));
  expect(ascending(ids)).toEqual(ascending(changed.map((order) => order.orderId)));
  expect(changed.some((order) => Temporal.PlainDateTime.compare(order.createdLocal, day) < 0)).toBe(true);
  await using ignored = await start({ dateFilter: 'ignored' });
  expect(idsOf(await get(ignored, '/orders', query))).toHaveLength(300);
});

test('start may be ignored, and limit capped silently', async () => {
  await using sim = await start({ start: 'ignored' }, 50);
  const [first, second] = [
    await get(sim, '/orders', { limit: 200 }),
    await get(sim, '/orders', { start: 50 }),
  ];
  expect(idsOf(first)).toHaveLength(50);
  expect(idsOf(second)).toEqual(idsOf(first));
});
