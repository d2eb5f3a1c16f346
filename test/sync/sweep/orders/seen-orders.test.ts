import { expect, test } from 'vitest';

import { type FakeOrder, FakeShop, secondsOf } from '../../../shop-api/paging/fake-shop.ts';
import { local } from '../../../shop-api/paging/read-one.ts';
import type { ListRow } from '../../../../src/shop-api/endpoints/list-orders.ts';
import type { WholeWindow } from '../../../../src/shop-api/paging/reading.ts';
import { SeenOrders } from '../../../../src/sync/sweep/orders/seen-orders.ts';

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
  askedAt: Temporal.Instant.from('2026-03-20T12:00:00Z'),
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
