import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { TransientError } from '../../src/model/errors.ts';
import type { ShopApi } from '../../src/shop-api/shop-api.ts';
import { type Dialect, PLAIN, WEIRD } from '../../src/simulator/shop/dialect.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { apiOf, NOW, rejection } from './api-of.ts';
import { ascending, readAll } from './paging/read-all.ts';
import { bodies, startScriptedShop } from './scripted-shop.ts';

/** What a client makes of one body. */
async function read<Answer>(body: string, ask: (api: ShopApi) => Promise<Answer>): Promise<Answer> {
  await using shop = await startScriptedShop(bodies(body));
  return await ask(apiOf(shop));
}
const list = (api: ShopApi) => api.listOrders({});

test.each([
  '{}',
  '{"orders":null,"total":0}',
  '{"total":5}',
  'null',
  'false',
  '""',
  '',
  '{"message":"none"}',
])('%s is a page without orders, and says in which form', async (body) => {
  const page = { rows: [], malformed: [], received: 0, emptyForm: expect.any(String) };
  expect(await read(body, list)).toMatchObject(page);
});

test('identifiers and totals may be numbers or text, and of 64 bits no digit is lost', async () => {
  const ids = ['7', '"7"', '" 0007 "', '9007199254740993', '"9223372036854775807"', '9223372036854775807'];
  // Each alone: two orders under one identifier cannot be told apart.
  const pages = await Promise.all(
    ids.map(async (id, index) => read(`{"orders":[{"order_id":${id},"n":${index}}],"total":"6"}`, list)),
  );
  const most = '9223372036854775807';
  const read64 = pages.flatMap((page) => page.rows.map(({ orderId }) => orderId));
  expect(read64).toEqual(['7', '7', '7', '9007199254740993', most, most]);
  expect(JSON.stringify(pages[3]?.rows[0]?.raw)).toBe('{"order_id":9007199254740993,"n":3}');
  expect(pages.map(({ total }) => total)).toEqual(ids.map(() => 6));
});

test('a user may be unknown by 404 or by an empty list, and where a message says it, nobody can tell', async () => {
  expect(await read('[]', (api) => api.user('7'))).toEqual({ kind: 'gone' });
  await using sim = makeShopInProcess({ orders: 1, now: NOW, dialect: { errors: '200' } });
  expect(await rejection(apiOf(sim).user('nobody'))).toBeInstanceOf(TransientError);
  sim.faults.failNext(1, 'http-502');
  const [user] = sim.shop.users();
  expect(await apiOf(sim).user(String(user?.oid))).toMatchObject({
    kind: 'found',
    userOid: String(user?.oid),
  });
});

test('a byte order mark and packed answers are read', async () => {
  const json = '\uFEFF{"orders":[{"order_id":1,"fio":"Ёлкин"}],"total":1}';
  await using shop = await startScriptedShop((response) => {
    response.setHeader('Content-Encoding', 'gzip');
    response.end(gzipSync(json));
  });
  expect((await apiOf(shop).listOrders({})).rows[0]?.raw).toEqual({ order_id: 1, fio: 'Ёлкин' });
  expect(shop.received[0]?.headers['accept-encoding']).toContain('gzip');
});

const NAMED: readonly (readonly [string, Partial<Dialect>])[] = [
  ['plain', PLAIN],
  ['weird', WEIRD],
  ['keyed by id, newest first', { orders: 'object' }],
  ['keyed by shuffled ids', { orders: 'object', ids: 'shuffled', total: 'absent' }],
  ['oldest first, total of all', { listOrder: 'asc', total: 'all-string' }],
  ['by id, minutes compared', { listOrder: 'id-desc', ids: 'shuffled', datePrecision: 'minute' }],
  ['bare empties, exclusive end', { emptyAnswer: 'array', dateTo: 'exclusive', total: 'absent' }],
];

test.each(NAMED)('every order of a shop that is %s is read exactly once', async (_name, dialect) => {
  await using sim = makeShopInProcess({ orders: 300, days: 20, now: NOW, pageCap: 20, dialect });
  const crowded = Temporal.PlainDateTime.from('2026-03-10T12:34');
  for (let second = 0; second < 60; second++) {
    sim.shop.insertOrder({ createdLocal: crowded.add({ seconds: second }) });
  }
  const { readings, ids } = await readAll(apiOf(sim), { from: '2026-02-20', to: '2026-03-15' });
  expect(readings.filter(({ kind }) => kind === 'unproven')).toEqual([]);
  expect(ascending(ids)).toEqual(ascending(sim.shop.orders().map(({ orderId }) => orderId)));
  expect(ids).toHaveLength(360);
});
