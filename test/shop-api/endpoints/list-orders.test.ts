import { afterAll, beforeAll, expect, test } from 'vitest';

import type { ShopApi } from '../../../src/shop-api/shop-api.ts';
import { type OrdersQuery, toWireTime } from '../../../src/shop-api/endpoints/list-orders.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/server.ts';
import type { SimOrder } from '../../../src/simulator/shop/sim-order.ts';
import { apiOf, NOW } from '../api-of.ts';
import { bodies, ONE_ORDER, startScriptedShop } from '../scripted-shop.ts';

let sim: Simulator;
let api: ShopApi;
beforeAll(async () => {
  sim = await startSimulator({ orders: 1500, days: 60, now: NOW });
  api = apiOf(sim);
});
afterAll(() => sim.close());

const includes = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
const isBetween = (from: string, { createdLocal }: SimOrder, to: string) =>
  Temporal.PlainDateTime.compare(from, createdLocal) <= 0 &&
  Temporal.PlainDateTime.compare(createdLocal, to) <= 0;
const local = (text: string) => Temporal.PlainDateTime.from(text);
const some = (matches: (order: SimOrder) => boolean): SimOrder => {
  const order = sim.shop.orders().find(matches);
  if (order === undefined) throw new Error('the shop has no such order');
  return order;
};

type Filter = { readonly query: OrdersQuery; readonly matches: (order: SimOrder) => boolean };

test.each<[string, () => Filter]>([
  [
    'fio',
    () => ({ query: { filters: { fio: 'соколова' } }, matches: ({ fio }) => includes(fio, 'соколова') }),
  ],
  [
    'address',
    () => ({
      query: { filters: { address: 'казань' } },
      matches: ({ address }) => includes(address, 'казань'),
    }),
  ],
  [
    'email',
    () => ({
      query: { filters: { email: '@example.org' } },
      matches: ({ email }) => includes(email, '@example.org'),
    }),
  ],
  [
    'phone',
    () => ({ query: { filters: { phone: '+7 (916)' } }, matches: ({ phone }) => phone.includes('+7 (916)') }),
  ],
  [
    'summ_from',
    () => ({ query: { filters: { summ_from: 5000 } }, matches: ({ sumCents }) => sumCents >= 500_000 }),
  ],
  [
    'summ_to',
    () => ({ query: { filters: { summ_to: '4999.99' } }, matches: ({ sumCents }) => sumCents <= 499_999 }),
  ],
  [
    'pay_status',
    () => ({ query: { filters: { pay_status: 'HP' } }, matches: ({ payStatus }) => payStatus === 'HP' }),
  ],
  ['color', () => ({ query: { filters: { color: 'purple' } }, matches: ({ color }) => color === 'purple' })],
  ['status', () => ({ query: { filters: { status: 'C' } }, matches: ({ status }) => status === 'C' })],
  ['an empty status', () => ({ query: { filters: { status: '' } }, matches: ({ status }) => status === '' })],
  [
    'master_oid of guests',
    () => ({ query: { filters: { master_oid: '6' } }, matches: ({ buyerOid }) => buyerOid === 6 }),
  ],
  [
    'master_oid of a buyer',
    () => {
      const buyer = some(({ buyerOid }) => buyerOid !== 6).buyerOid;
      return {
        query: { filters: { master_oid: String(buyer) } },
        matches: ({ buyerOid }) => buyerOid === buyer,
      };
    },
  ],
  [
    'product',
    () => {
      const product = some(({ lines }) => lines.length > 0).lines[0]?.productOid;
      const matches = ({ lines }: SimOrder) => lines.some(({ productOid }) => productOid === product);
      return { query: { filters: { product: String(product) } }, matches };
    },
  ],
  [
    'date_from',
    () => {
      const from = '2026-02-20T13:14:15';
      return { query: { dateFrom: local(from) }, matches: (order) => isBetween(from, order, '9999-12-31') };
    },
  ],
  [
    'date_to',
    () => {
      const to = '2026-02-20T13:14:15';
      return { query: { dateTo: local(to) }, matches: (order) => isBetween('1970-01-01', order, to) };
    },
  ],
  [
    'several filters',
    () => {
      const [from, to] = ['2026-02-01', '2026-03-01'];
      const query = {
        dateFrom: local(from),
        dateTo: local(to),
        filters: { status: 'C', pay_status: 'FP', summ_from: 1000 },
      };
      const matches = (order: SimOrder) =>
        isBetween(from, order, to) &&
        order.status === 'C' &&
        order.payStatus === 'FP' &&
        order.sumCents >= 100_000;
      return { query, matches };
    },
  ],
])('%s narrows the list to the orders that match', async (_name, filterOf) => {
  const { query, matches } = filterOf();
  const expected = sim.shop.orders().filter(matches);
  const page = await api.listOrders({ ...query, limit: 5000 });
  expect(page.rows.map(({ orderId }) => orderId).toSorted()).toEqual(
    expected.map(({ orderId }) => String(orderId)).toSorted(),
  );
  expect(page.total).toBe(expected.length);
  expect(expected.length).toBeGreaterThan(0);
  expect(expected.length).toBeLessThan(1500);
});

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
    dateFrom: local('2026-02-03T04:05:06'),
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

test('times are written day first, to the second', () => {
  expect(toWireTime(local('2026-01-02T03:04:05.999'))).toBe('02-01-2026 03:04:05');
  expect(toWireTime(local('2026-11-12'))).toBe('12-11-2026 00:00:00');
});

test('an order that a page holds twice, and alike, is read; of two that differ neither is', async () => {
  const [row, other] = ['{"order_id":7,"summ":1}', '{"order_id":7,"summ":2}'];
  const pages = [`{"orders":[${row},${row}],"total":2}`, `{"orders":[${row},${other}],"total":2}`];
  await using shop = await startScriptedShop(bodies(...pages));
  const raw = apiOf(shop);
  expect(await raw.listOrders({})).toMatchObject({ rows: { length: 2 }, malformed: [], received: 2 });
  expect(await raw.listOrders({})).toMatchObject({ rows: [], malformed: { length: 2 }, received: 2 });
});

test.each(['{}', '{"order_id":null}', '{"order_id":""}'])(
  'a row that is %s at a key has the identifier of the key',
  async (row) => {
    await using shop = await startScriptedShop(bodies(`{"orders":{"7":${row}},"total":1}`));
    expect(await apiOf(shop).listOrders({})).toMatchObject({
      rows: [{ orderId: '7', raw: { order_id: '7' } }],
      malformed: [],
    });
  },
);
