/** The whole list of a shop that shows only a part of it, and what dates show of the rest. */
import { expect, test } from 'vitest';

import type { OrdersPage } from '../../../src/shop-api/endpoints/list-orders.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { FakeShop, type FakeTraits } from './fake-shop.ts';
import { orders, readChanged, readWhole, START } from './whole-list.ts';

const daily = Array.from({ length: 60 }, (_, index) => ({
  id: 1000 + index,
  created: START + index * 86_400,
}));

test('a list without dates that shows a part is read again with dates, and the next one without dates again', async () => {
  const asked = async (traits: FakeTraits) => {
    const shop = new FakeShop(daily, traits);
    const { orders: count, isDated, problem } = await readWhole(shop, { wasPartial: true });
    return { count, isDated, problem, isFirstDated: shop.queries[0]?.dateFrom !== undefined };
  };
  const whole = { count: 60, problem: undefined, isFirstDated: false };
  expect(await asked({})).toEqual({ ...whole, isDated: false });
  expect(await asked({ undatedDays: 10 })).toEqual({ ...whole, isDated: true });
  expect(await asked({ undatedDays: 10, sort: 'asc' })).toEqual({ ...whole, isDated: true });
  // What came without dates, and does not come again, went meanwhile.
  const before = (moving: FakeShop) => {
    if (moving.queries.at(-1)?.dateFrom !== undefined) moving.remove(1059);
  };
  expect(await asked({ undatedDays: 10, before })).toEqual({ ...whole, count: 59, isDated: true });
});

test('an old answer about what lies beyond the ends leaves the list unread', async () => {
  const fresh = new FakeShop(orders(100));
  expect(await readChanged(fresh, (page) => page)).toMatchObject({ problem: undefined });
  const old = 'an answer of yesterday';
  const change = (page: OrdersPage, request: number) =>
    request === fresh.requests ? { ...page, outdated: old } : page;
  expect(fresh.queries.at(-1)?.dateFrom ?? fresh.queries.at(-1)?.dateTo).toBeDefined();
  expect(await readChanged(new FakeShop(orders(100)), change)).toMatchObject({ orders: 100, problem: old });
});

test('what lies beyond the ends is left out where the dates select by another time', async () => {
  const changed = orders(60).map((order) => ({
    ...order,
    updated: order.created + (5 + (order.id % 7)) * 86_400,
  }));
  for (const sort of ['desc', 'asc'] as const) {
    const end = await readWhole(new FakeShop(changed, { sort, filter: 'updated' }));
    expect(end).toMatchObject({ orders: 60, problem: undefined });
  }
});

test('a list that ends at a position is known to be a part, and what dates show beyond its end is taken once', async () => {
  const whole = await readWhole(new FakeShop(orders(60)));
  expect(whole).toMatchObject({ orders: 60, isPartial: false });
  for (const sort of ['desc', 'asc', 'shuffled'] as const) {
    const shop = new FakeShop(orders(60), { endsAt: 25, sort });
    const part = await readWhole(shop);
    expect(part).toMatchObject({ problem: undefined, isPartial: true, isDated: false });
    const [first, ...beyond] = part.taken;
    expect(first).toMatchObject({ received: 25 });
    const more = beyond.flatMap(({ rows }) => rows.map(({ orderId }) => orderId));
    expect(more.length).toBeGreaterThan(5);
    expect(beyond.flatMap(({ keys }) => keys)).toEqual(more);
    expect(new Set([...(first?.keys ?? []), ...more]).size).toBe(25 + more.length);
    expect(part.orders).toBe(25 + more.length);
  }
});

test.each<[FakeTraits, boolean]>([
  [{ sort: 'desc' }, false],
  [{ sort: 'asc' }, false],
  // Its ends do not show what it lacks.
  [{ sort: 'shuffled' }, true],
  [{ sort: 'desc', endsAt: 60 }, true],
  [{ sort: 'asc', endsAt: 60 }, true],
  [{ archivedBefore: START }, true],
  // What lies beyond its ends is not answered.
  [{ failsAt: { days: 9000 } }, true],
])('whether a list still ends at a position is found out anew: %j, so %j', async (traits, isPartial) => {
  const old = { id: 1, created: START - 30 * 86_400 };
  for (const endsAt of [60, 30]) {
    const shop = new FakeShop([old, ...orders(60)], traits);
    const profile = { ...unknownProfile(500), endsAt };
    const end = await readChanged(shop, (page) => page, { profile });
    expect(end).toMatchObject({ problem: undefined, isPartial });
  }
});
