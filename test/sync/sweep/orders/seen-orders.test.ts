import { expect, test } from 'vitest';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from '../../../shop-api/paging/fake-shop.ts';
import { local } from '../../../shop-api/paging/read-one.ts';
import type { ListRow } from '../../../../src/shop-api/endpoints/list-orders.ts';
import type { WholeWindow } from '../../../../src/shop-api/paging/reading.ts';
import { SeenOrders } from '../../../../src/sync/sweep/orders/seen-orders.ts';
import { unknownProfile } from '../../../../src/shop-api/paging/request-page.ts';
import { readAll } from '../../../shop-api/paging/read-all.ts';

const TENTH = { from: local('2026-03-10T00:00'), to: local('2026-03-11T00:00') };
const SHOP = { timezone: 'Europe/Berlin' };

/** What a shop lists of orders, by their number and time. */
async function pageOf(...orders: readonly (readonly [id: number, time: string])[]) {
  const placed: readonly FakeOrder[] = orders.map(([id, time]) => ({
    id,
    created: secondsOf(`2026-03-${time}`),
  }));
  return new FakeShop(placed).listOrders({ start: 0, limit: 500 });
}

const tenth = (rows: readonly ListRow[]): WholeWindow => ({
  kind: 'whole',
  window: TENTH,
  rows,
  malformed: [],

  isOldest: false,
  requestedAt: Temporal.Instant.from('2026-03-20T12:00:00Z'),
});
const ids = (rows: readonly ListRow[] = []) => rows.map(({ orderId }) => orderId);

test('an order of a window that only other lists show is omitted, and then no longer seen', async () => {
  const seen = new SeenOrders(SHOP);
  seen.note(await pageOf([7, '10T10:00'], [8, '10T11:00'], [9, '09T11:00']));
  const { rows } = await pageOf([8, '10T11:00']);
  const settled = seen.settle(tenth(rows));
  expect({ rows: ids(settled.rows), omitted: ids(settled.omitted) }).toEqual({ rows: ['8'], omitted: ['7'] });
  expect(ids(seen.left())).toEqual(['9']);
});

test('an order without a time belongs to its whole day, with whatever part of it it is listed', async () => {
  const seen = new SeenOrders(SHOP);
  const page = await pageOf([7, '10T10:00']);
  seen.note({ ...page, rows: page.rows.map((row) => ({ ...row, raw: { ...row.raw, time: '' } })) });
  const settled = seen.settle(tenth([]));
  expect({ rows: ids(settled.rows), omitted: ids(settled.omitted) }).toEqual({ rows: ['7'], omitted: [] });
});

test('the remaining orders are those that were due, without those listed with two times', async () => {
  const seen = new SeenOrders(SHOP);
  seen.begin(TENTH);
  seen.note(await pageOf([7, '10T10:00'], [8, '08T10:00'], [9, '10T12:00']));
  seen.note(await pageOf([9, '07T12:00']));
  expect(ids(seen.left())).toEqual(['7']);
});

const DAYS = { from: '2026-01-01', to: '2026-03-01' };
/** Five orders a day for sixty days. */
const ORDERS = Array.from({ length: 300 }, (_, index) => {
  return { id: index + 1, created: secondsOf(DAYS.from) + index * 17_280 };
});

/** Before each of the first requests, an order of the last day comes in. */
const moving = (shop: FakeShop) => {
  const created = secondsOf('2026-03-01T12:00') + shop.requests;
  if (shop.requests < 12) shop.insert({ id: 1000 + shop.requests, created });
};

test.each<[string, FakeTraits]>([
  ['that does not fit', {}],
  ['of which the shop fails at an order', { failsAt: { ids: [298] } }],
  ['that moves while it is read', { before: moving }],
])('a window %s is narrowed until it can be read, even after the time budget', async (_what, traits) => {
  const shop = new FakeShop(ORDERS, { cap: 5, mostRequests: 300, ...traits });
  let left = 1;
  const { readings } = await readAll(shop, {
    ...DAYS,
    profile: unknownProfile(5),
    hasTimeLeft: () => left-- > 0,
  });
  expect(readings).toHaveLength(1);
});
