import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { createUncachedQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import { apiOf, NOW } from '../api-of.ts';
import { bodies, ONE_ORDER, startScriptedShop } from '../scripted-shop.ts';

const local = (text: string) => Temporal.PlainDateTime.from(text);

let sim: Simulator;
let api: ShopApi;
beforeAll(async () => {
  sim = await startSimulator({ orders: 1500, days: 60, now: NOW });
  api = apiOf(sim);
});
afterAll(() => sim.close());

test('pages join to the whole list', async () => {
  const pages = await Promise.all([0, 600, 1200].map((start) => api.listOrders({ start, limit: 600 })));
  expect(pages.map(({ received }) => received)).toEqual([600, 600, 300]);
  const ids = pages.flatMap(({ rows }) => rows.map(({ orderId }) => Number(orderId)));
  expect(ids).toEqual(
    sim.shop
      .orders()
      .map(({ orderId }) => orderId)
      .toReversed(),
  );
  expect((await api.listOrders({})).received).toBe(100);
});

test('parameters are named and written as documented, and only those that are given', async () => {
  await using shop = await startScriptedShop(bodies(ONE_ORDER));
  const raw = apiOf(shop);
  await raw.listOrders({});
  await raw.listOrders({
    start: 0,
    limit: 500,
    dateFrom: local('2026-02-03T04:05:06.999'),
    dateTo: local('0999-12-31T23:59:59'),
    filters: {
      fio: 'a+b & c',
      address: 'ул. Ленина, 5',
      email: 'x@y',
      phone: '+7',
      summ_from: 0.1,
      summ_to: '1e2',
      pay_status: 'S',
      color: 'red',
      status: '',
      product: '5',
      master_oid: '6',
    },
  });
  expect(shop.received[0]?.url).toBe('/adm/api/orders');
  const { pathname, searchParams } = new URL(shop.received[1]?.url ?? '', shop.url);
  expect(pathname).toBe('/adm/api/orders');
  expect(Object.fromEntries(searchParams)).toEqual({
    start: '0',
    limit: '500',
    date_from: '03-02-2026 04:05:06',
    date_to: '31-12-0999 23:59:59',
    fio: 'a+b & c',
    address: 'ул. Ленина, 5',
    email: 'x@y',
    phone: '+7',
    summ_from: '0.1',
    summ_to: '1e2',
    pay_status: 'S',
    color: 'red',
    status: '',
    product: '5',
    master_oid: '6',
  });
});

test('what no cache can know is a second of a year before any shop', () => {
  const random = vi.spyOn(Math, 'random');
  const askedAt = [0, 0.5, 0.999_999_999].map((value) => {
    random.mockReturnValueOnce(value);
    const { dateFrom, dateTo, ...rest } = createUncachedQuery();
    expect(rest).toEqual({ limit: 1 });
    return `${dateFrom?.toString()} to ${dateTo?.toString()}`;
  });
  random.mockRestore();
  expect(askedAt).toEqual([
    '1971-01-01T00:00:00 to 1971-01-01T00:00:01',
    '1971-07-02T12:00:00 to 1971-07-02T12:00:01',
    '1971-12-31T23:59:59 to 1972-01-01T00:00:00',
  ]);
});
