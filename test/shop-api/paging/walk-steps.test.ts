/** How the walk goes on from one answer to the next where a shop is bounded, odd, or takes no date. */
import { expect, test } from 'vitest';

import { UnavailableError } from '../../../src/model/errors.ts';
import type { OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import type { WalkDeps } from '../../../src/shop-api/paging/request-page.ts';
import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { readWindow } from '../../../src/shop-api/paging/walk.ts';
import { rejection } from '../api-of.ts';
import { FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { asked, knownAt, local, pagingDeps, readOne } from './read-one.ts';

const shopOf = (times: readonly string[], traits: FakeTraits = {}) =>
  new FakeShop(
    times.map((time, index) => ({ id: 1000 + index, created: secondsOf(`2026-${time}`) })),
    traits,
  );
const DAY = asked('2026-03-05T00:00', '2026-03-06T00:00', { lowest: local('2026-01-01') });

/** Reads the day. @param book what is known of the shop */
const walk = async (shop: FakeShop, book: Partial<WalkDeps['book']> = {}, of = DAY) => {
  const deps = pagingDeps(shop);
  return readWindow({ ...deps, book: { ...deps.book, ...book }, known: knownAt() }, of);
};

test.each([
  ['below', ['03-01T08:00', '03-05T08:00', '03-06T00:30']],
  ['above', ['03-04T23:30', '03-05T08:00', '03-09T08:00']],
])('within bounds, more is asked for on the side that was not reached: %s', async (_side, times) => {
  const bounds = { from: local('2026-02-01'), to: local('2026-03-12') };
  expect(await walk(shopOf(times), {}, { ...DAY, bounds })).toMatchObject({
    kind: 'whole',
    rows: { length: 1 },
  });
});

test('an error that says nothing of the filter ends the reading at once', async () => {
  const shop = shopOf(['03-05T08:00']);
  const error = new UnavailableError('away');
  const listOrders = (query: OrdersQuery) =>
    shop.requests === 0 ? shop.listOrders(query).then(() => Promise.reject(error)) : shop.listOrders(query);
  expect(await rejection(readOne({ listOrders }, DAY))).toBe(error);
  expect(shop.requests).toBe(1);
});

test('that nothing is older is said by the list of all orders alone where an older one is stored', async () => {
  const shop = shopOf(['03-08T08:00', '03-08T09:00']);
  const read = (...stored: readonly string[]) =>
    readOne(shop, DAY, knownAt(...stored, '2026-03-08T08:00', '2026-03-08T09:00'));
  const nothing = { kind: 'whole', isOldest: true, rows: [] };
  expect(await read()).toMatchObject({ ...nothing, isUndated: false });
  expect(await read('2026-02-01T08:00')).toMatchObject({ ...nothing, isUndated: true });
});

test('a reading that was sent with dates is not said to hold the orders without one', async () => {
  const times = ['03-01T08:00', '03-05T08:00', '03-05T09:00', '03-09T08:00'];
  const whole = asked(undefined, undefined);
  const profile = unknownProfile(500);
  for (const isUndatedPartial of [false, true]) {
    const shop = shopOf(times);
    const queries: OrdersQuery[] = [];
    const listOrders: WalkDeps['api']['listOrders'] = async (query) => {
      queries.push(query);
      return shop.listOrders(query);
    };
    const deps = pagingDeps({ listOrders });
    const book = { ...deps.book, profile: { ...profile, isUndatedPartial } };
    const reading = await readWindow({ ...deps, book, known: knownAt() }, whole);
    expect(reading).toMatchObject({ kind: 'whole', isUndated: !isUndatedPartial });
    expect(queries[0]?.dateFrom !== undefined).toBe(isUndatedPartial);
  }
});
