import { expect, test } from 'vitest';

import { unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import type { Dialect } from '../../../src/simulator/shop/dialect.ts';
import { findListed } from '../../../src/sync/ask/find-listed.ts';
import { apiOf, NOW } from '../../shop-api/api-of.ts';
import { makeShopInProcess, poolTo } from '../../support/in-process-shop.ts';

const MINUTE = Temporal.PlainDateTime.from('2026-03-04T10:30');
const PAGE = 3;

/** A shop that lists three orders a page, and took eight in one minute, one of them three pages down. */
function crowdedShop(dialect: Partial<Dialect> = {}) {
  const simulator = makeShopInProcess({ orders: 6, days: 20, now: NOW, pageCap: PAGE, dialect });
  const placed = Array.from({ length: 8 }, (_, second) =>
    simulator.shop.insertOrder({ createdLocal: MINUTE.add({ seconds: 5 * second }) }),
  );
  const api = apiOf(simulator, { pool: poolTo(simulator.url) });
  const book = { profile: unknownProfile(500) };
  const list = { api, book, shop: { timezone: 'Europe/Berlin' }, now: () => NOW };
  const find = async (orderId: number, minute = MINUTE) =>
    (await findListed(list, String(orderId), minute))?.orderId;
  return { find, ids: placed.map(({ orderId }) => orderId), simulator };
}

test('each order of a minute with more than a page is found, and pages beyond it are not read', async () => {
  const { find, ids, simulator } = crowdedShop();
  const pages: number[] = [];
  for (const id of ids) {
    simulator.requests.reset();
    expect(await find(id)).toBe(String(id));
    pages.push(simulator.requests.count('orders'));
  }
  expect([Math.min(...pages), Math.max(...pages)]).toEqual([1, 4]);
});

test('an order that is not listed is distinguished from one that could not be looked for', async () => {
  const { find, ids, simulator } = crowdedShop();
  const [gone = 0] = ids;
  simulator.shop.deleteOrder(gone);
  expect(await find(gone)).toBeUndefined();
  simulator.shop.setDialect({ start: 'ignored' });
  await expect(find(gone)).rejects.toThrow('the list around 2026-03-04T10:30 could not be read to its end');
});

test.for([
  ['whole days without their ends', { datePrecision: 'day', dateFrom: 'exclusive', dateTo: 'exclusive' }],
  ['no dates', { dateFilter: 'ignored' }],
] as const)('a shop that filters by %s', async ([, dialect]) => {
  const { find, ids } = crowdedShop(dialect);
  const [first = 0] = ids;
  expect([await find(first), await find(1)]).toEqual([String(first), undefined]);
});
