/** The whole list, as an audit and verify read it. */
import { expect, test } from 'vitest';

import { TransientError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';
import { NO_FAULTS } from '../../../src/shop-api/paging/faults.ts';
import { NO_ENDS } from '../../../src/shop-api/paging/list-ends.ts';
import { isOutOfTime, readShopList } from '../../../src/shop-api/paging/read-shop-list.ts';
import { FakeShop, type FakeTraits } from './fake-shop.ts';
import { pagingDeps } from './read-one.ts';
import { orders, readChanged, readWhole, START } from './whole-list.ts';

test('the list is read by pages that overlap in one row, a few at once as far as orders are likely', async () => {
  const { starts, most, ...end } = await readWhole(new FakeShop(orders(100), { cap: 11 }));
  expect(end).toMatchObject({ orders: 100, total: 100, problem: undefined, taken: { length: 10 } });
  // And once more from the oldest orders down.
  expect(starts).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99, 0]);
  expect(most).toBe(4);
  // Without a total, what is held says how much is likely.
  const unknown = await readWhole(new FakeShop(orders(100), { cap: 11, total: 'absent' }));
  expect(unknown).toMatchObject({ orders: 100, most: 1 });
  expect(
    await readWhole(new FakeShop(orders(100), { cap: 11, total: 'absent' }), { held: 100 }),
  ).toMatchObject({
    orders: 100,
    most: 4,
  });
});

test.each<[string, number, FakeTraits, string]>([
  ['lists nothing', 0, {}, 'the shop lists no orders at all'],
  ['ignores start', 100, { cap: 11, ignoresStart: true }, 'the shop ignores "start"'],
  ['fails at one order', 100, { failsAt: { ids: [1050] } }, 'the shop fails on the page after 39 orders'],
])('a shop that %s: the list was not read to its end', async (_what, count, traits, problem) => {
  expect((await readWhole(new FakeShop(orders(count), traits))).problem).toBe(problem);
});

test('one order is all that there is, where nothing comes beyond it', async () => {
  expect(await readWhole(new FakeShop(orders(1)))).toMatchObject({
    orders: 1,
    problem: undefined,
    starts: [0, 1, 1, 1, 0],
  });
});

test('a limit at which the shop fails is lowered', async () => {
  const shop = new FakeShop(orders(300), { failsAt: { limit: 100 } });
  expect(await readWhole(shop)).toMatchObject({ orders: 300, problem: undefined, limit: 100 });
});

test('after a moment in which it failed, the shop is asked again for all pages that were requested then', async () => {
  const shop = new FakeShop(orders(300), {
    cap: 11,
    // The four requests after the first page.
    before: ({ requests }) => {
      if (requests > 1 && requests < 6) throw new TransientError('the shop answered HTTP 500');
    },
  });
  expect(await readWhole(shop)).toMatchObject({ orders: 300, problem: undefined, limit: 100 });
});

test('orders that come and go while the list is read cost no other order', async () => {
  for (const sort of ['desc', 'asc', 'shuffled'] as const) {
    let nextId = 5000;
    const shop: FakeShop = new FakeShop(orders(200), {
      sort,
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
    const seen = new Set(taken.flatMap(({ keys }) => keys));
    expect(left().filter((id) => !seen.has(id))).toEqual([]);
    // No page is taken twice.
    const news = new Set<string>();
    for (const { keys } of taken) {
      expect(keys.some((key) => !news.has(key))).toBe(true);
      for (const key of keys) news.add(key);
    }
  }
});

test('the time budget, and whoever takes the pages, end the reading with the reason', async () => {
  let pages = 0;
  const short = await readWhole(new FakeShop(orders(100), { cap: 11 }), { mayAsk: () => pages++ < 3 });
  expect(short).toMatchObject({ problem: 'the time budget ran out', taken: { length: 3 } });
  const none = await readWhole(new FakeShop(orders(100)), { mayAsk: () => false });
  expect(none).toMatchObject({ problem: 'the time budget ran out', starts: [] });
  const deps = pagingDeps(new FakeShop(orders(100), { cap: 11 }));
  const foreign = await readShopList(deps, 0, async () => 'another shop');
  expect(foreign.problem).toBe('another shop');
  let asked = 0;
  expect(
    (
      await readShopList(
        deps,
        0,
        async () => undefined,
        () => asked++ < 2,
      )
    ).problem,
  ).toBe('the time budget ran out');
});

test('a reading goes on at the page that came last when time ran out, with what came before it', async () => {
  const shop = new FakeShop(orders(100), { cap: 11, sort: 'asc' });
  let pages = 0;
  const short = await readWhole(shop, { mayAsk: () => pages++ < 3 });
  expect(isOutOfTime(short)).toBe(true);
  const [from, ...later] = short.kept;
  expect(later).toEqual([]);
  expect(from).toMatchObject({ start: 20, total: 100, ids: { size: 21 }, ends: { isAscending: true } });
  const rest = new FakeShop(shop.orders, { ...shop.traits, total: 'absent' });
  expect(await readWhole(rest, { from })).toMatchObject({ orders: 100, total: 100, problem: undefined });
  expect(rest.queries[0]?.start).toBe(20);
  // Both ends are asked for, as the first pages tell where the list begins.
  expect(rest.queries.at(-1)?.dateFrom?.toString()).toBe('2026-03-05T11:35:00');
  // Where the orders before it went, its page shares no row with them, and it is read from one page before.
  const moved = new FakeShop(shop.orders.slice(15), shop.traits);
  const missed = moved.orders.filter(({ id }) => id < 1040).map(({ id }) => String(id));
  const { taken, problem } = await readWhole(moved, { from });
  expect(problem).toBeUndefined();
  const seen = new Set(taken.flatMap(({ keys }) => keys).concat(...(from?.ids ?? [])));
  expect(missed.filter((id) => !seen.has(id))).toEqual([]);
});

test('a reading goes on where so many orders came meanwhile that its next pages are known', async () => {
  const shop = new FakeShop(orders(100), { cap: 11 });
  let pages = 0;
  const { kept } = await readWhole(shop, { mayAsk: () => pages++ < 5 });
  const from = kept.at(-1);
  expect(from).toMatchObject({ start: 40 });
  const newer = Array.from({ length: 25 }, (_, index) => ({
    id: 2000 + index,
    created: START + 86_400 + index,
  }));
  const later = new FakeShop([...shop.orders, ...newer], shop.traits);
  const { orders: count, problem } = await readWhole(later, { from });
  expect(problem).toBeUndefined();
  // What came since is dated, and no concern of a list that began before.
  expect(count).toBeGreaterThanOrEqual(100);
});

test('every tenth page, progress is kept', async () => {
  const { kept, problem } = await readWhole(new FakeShop(orders(300), { cap: 11 }));
  expect(problem).toBeUndefined();
  expect(kept.map(({ start, ids }) => [start, ids.size])).toEqual([
    [90, 91],
    [190, 191],
    [290, 291],
  ]);
});

test('an interrupted reading goes on with dates if it had to send them, and without if not', async () => {
  const from = { start: 10, total: 100, ends: NO_ENDS, ids: new Set(['1010', '1011']) };
  for (const isDated of [true, false]) {
    const shop = new FakeShop(orders(100), { cap: 11, sort: 'asc' });
    // Whatever other lists have shown since, its positions are those of the list that it began.
    const end = await readWhole(shop, { from: { ...from, isDated }, wasPartial: !isDated });
    expect(end).toMatchObject({ isDated, problem: undefined });
    expect(shop.queries[0]?.dateFrom !== undefined).toBe(isDated);
  }
});

test('a page that is old ends the reading: it is not taken, and no progress is kept', async () => {
  const old = 'an answer of yesterday';
  const shop = new FakeShop(orders(100), { cap: 11, total: 'absent' });
  const end = await readChanged(shop, (page, request) => (request === 3 ? { ...page, outdated: old } : page));
  expect(end).toMatchObject({ problem: old, taken: { length: 2 }, kept: 0 });
  expect(isOutOfTime(end)).toBe(false);
});

test('pages are requested one by one where they come short, or where the shop fails at some', async () => {
  const uneven = await readWhole(new FakeShop(orders(100), { cap: 9, pages: 'bytes' }));
  expect(uneven).toMatchObject({ orders: 100, problem: undefined, starts: { length: 28 } });
  let [underWay, most] = [0, 0];
  const shop = new FakeShop(orders(100), { cap: 11 });
  const listOrders: typeof shop.listOrders = async (query) => {
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    return shop.listOrders(query).finally(() => underWay--);
  };
  const deps = pagingDeps({ listOrders });
  deps.book.faults = NO_FAULTS;
  await readShopList(deps, 0, async () => undefined);
  expect(most).toBe(1);
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
  expect(end.problem).toBe('its rows kept moving');
});

test('many pages are read to their end where so many orders are expected', async () => {
  // By the shop's total, or where that is the page's own by what is held.
  for (const total of ['matches', 'page'] as const) {
    const end = await readWhole(new FakeShop(orders(600), { cap: 11, total }), { held: 590 });
    expect(end).toMatchObject({ orders: 600, problem: undefined });
  }
  const fresh = await readWhole(new FakeShop(orders(600), { cap: 11 }));
  expect(fresh).toMatchObject({ orders: 600, problem: undefined });
});

test('a list that goes on far beyond the orders that are likely ends the reading', async () => {
  const shop = new FakeShop(orders(3000), { cap: 11, total: 'absent' });
  const { problem, orders: received } = await readWhole(shop, { held: 100 });
  expect(problem).toBe('it does not end: 491 orders received, 100 expected');
  expect(received).toBeLessThan(600);
});
