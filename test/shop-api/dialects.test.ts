import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import type { ShopApi } from '../../src/shop-api/shop-api.ts';
import { type Dialect, PLAIN, WEIRD } from '../../src/simulator/shop/dialect.ts';
import { makeShopInProcess } from '../support/in-process-shop.ts';
import { apiOf, NOW } from './api-of.ts';
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
