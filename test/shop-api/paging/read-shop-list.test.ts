/** The whole list, as an audit and verify read it. */
import { expect, test } from 'vitest';

import type { JsonValue } from '../../../src/model/json.ts';
import { FakeShop, type FakeTraits } from './fake-shop.ts';
import { orders, readChanged, readWhole, START } from './whole-list.ts';

test('the list is read by pages that overlap in one row', async () => {
  const { starts, ...end } = await readWhole(new FakeShop(orders(100), { cap: 11 }));
  expect(end).toMatchObject({ orders: 100, problem: undefined, taken: { length: 10 } });
  // And once more from the oldest orders down, and from the newest up.
  expect(starts).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99, 0, 0]);
});

test.each<[string, number, FakeTraits, string]>([
  ['lists nothing', 0, {}, 'the shop lists no orders at all'],
  ['ignores start', 100, { cap: 11, start: 'ignored' }, 'the shop ignores "start"'],
  ['fails at one order', 100, { failsAt: { ids: [1050] } }, 'the shop fails on the page after 0 orders'],
])('a shop that %s: the list was not read to its end', async (_what, count, traits, problem) => {
  expect((await readWhole(new FakeShop(orders(count), traits))).problem).toBe(problem);
});

test('one order is all that there is, where nothing comes beyond it', async () => {
  expect(await readWhole(new FakeShop(orders(1)))).toMatchObject({
    orders: 1,
    problem: undefined,
    starts: [0, 0, 0],
  });
});

test('a limit at which the shop fails is lowered', async () => {
  const shop = new FakeShop(orders(300), { failsAt: { limit: 100 } });
  expect(await readWhole(shop)).toMatchObject({ orders: 300, problem: undefined, limit: 100 });
});

test('orders that come and go while the list is read cost no other order', async () => {
  for (const listOrder of ['desc', 'asc', 'shuffled'] as const) {
    let nextId = 5000;
    const shop: FakeShop = new FakeShop(orders(200), {
      listOrder,
      cap: 11,
      before: (moving) => {
        if (moving.requests > 40) return;
        if (moving.requests % 3 === 0) moving.insert({ id: nextId++, created: START + 300_000 });
        if (moving.requests % 5 === 0) moving.remove(1000 + moving.requests);
      },
    });
    const left = () => shop.orders.filter(({ id }) => id < 5000).map(({ id }) => String(id));
    const { taken, problem } = await readWhole(shop);
    expect(problem).toBeUndefined();
    const pages = taken.map(({ rows }) => rows.map(({ orderId }) => orderId));
    const seen = new Set(pages.flat());
    expect(left().filter((id) => !seen.has(id))).toEqual([]);
    // No page is taken twice.
    const news = new Set<string>();
    for (const keys of pages) {
      expect(keys.some((key) => !news.has(key))).toBe(true);
      for (const key of keys) news.add(key);
    }
  }
});

test('elements without an order join pages as orders do, each by its identifier or its text', async () => {
  const shop = new FakeShop(orders(31), { cap: 11 });
  // Newest first, these are the rows in which two pages overlap.
  const bad: Record<string, JsonValue> = { '1020': { fio: 'no identifier' }, '1010': { order_id: 1010 } };
  const end = await readChanged(shop, (page) => ({
    ...page,
    rows: page.rows.filter(({ orderId }) => bad[orderId] === undefined),
    malformed: page.rows.flatMap(({ orderId }) => bad[orderId] ?? []),
  }));
  expect(end).toMatchObject({ problem: undefined, orders: 31 });
  expect([...end.ids].filter((id) => !/^10\d\d$/.test(id))).toEqual(['{"fio":"no identifier"}']);
});

test('a list of which each page is another one is given up', async () => {
  let next = 0;
  const end = await readChanged(new FakeShop(orders(100)), () => {
    const rows = [1, 2, 3].map(() => ({ orderId: String(++next), raw: {} }));
    return { rows, malformed: [], received: 3, keys: [], isKeyed: false, total: undefined };
  });
  expect(end.problem).toMatch(/^it does not end: 4\d\d\d orders received, 0 expected$/);
});

test('many pages are read to their end where so many orders are expected', async () => {
  // By the shop's total, or where that is the page's own by what is stored.
  for (const total of ['matches', 'page'] as const) {
    const end = await readWhole(new FakeShop(orders(600), { cap: 11, total }), { stored: 590 });
    expect(end).toMatchObject({ orders: 600, problem: undefined });
  }
  const fresh = await readWhole(new FakeShop(orders(600), { cap: 11 }));
  expect(fresh).toMatchObject({ orders: 600, problem: undefined });
});

test('a list that goes on far beyond the orders that are likely ends the reading', async () => {
  const shop = new FakeShop(orders(5000), { cap: 101, total: 'absent' });
  const { problem, orders: received } = await readWhole(shop, { stored: 100 });
  expect(problem).toBe('it does not end: 4001 orders received, 100 expected');
  expect(received).toBeLessThan(4200);
});
