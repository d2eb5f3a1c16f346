import { expect, test } from 'vitest';

import type { JsonValue } from '../../../src/model/json.ts';
import type { OrdersPage, OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { type PageProfile, unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { readMatching } from '../../../src/shop-api/paging/read-list.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { pagingDeps } from './read-one.ts';

const START = secondsOf('2026-03-05T10:00');
const ALL = { from: undefined, to: undefined };
const orders = (count: number): readonly FakeOrder[] =>
  Array.from({ length: count }, (_, index) => ({ id: 1000 + index, created: START + index * 60 }));

/** Reads the whole list of a shop; the requests are told by their `start`. */
async function read(
  shop: Pick<FakeShop, 'listOrders'>,
  { maxPages = 100, profile = unknownProfile(500) } = {},
) {
  const starts: number[] = [];
  const listOrders = async (query: OrdersQuery) => {
    starts.push(query.start ?? 0);
    return shop.listOrders(query);
  };
  const deps = pagingDeps({ listOrders }, profile);
  const matching = await readMatching(deps, ALL, { maxPages });
  return { matching, starts, profile: deps.book.profile, verdict: matching.verdict };
}
const readShop = (count: number, traits: FakeTraits = {}, profile?: PageProfile) =>
  read(new FakeShop(orders(count), traits), profile && { profile });

/** Answers one after another, each the identifiers of its rows; the last one again and again. */
function scripted(pages: readonly (readonly number[])[], total?: number): Pick<FakeShop, 'listOrders'> {
  let asked = 0;
  return {
    async listOrders() {
      const ids = pages[Math.min(asked++, pages.length - 1)] ?? [];
      const rows = ids.map((id) => ({ orderId: String(id), raw: { order_id: id } }));
      return { rows, malformed: [], received: ids.length, keys: ids.map(String), isKeyed: false, total };
    },
  };
}

test('an answer is complete when its last row, asked from, comes alone, and a total agrees', async () => {
  const { matching, starts } = await readShop(12);
  expect(matching).toMatchObject({ verdict: 'complete', rows: { length: 12 }, total: 12 });
  expect(starts).toEqual([0, 11]);
});

test.each<[string, FakeTraits]>([
  ['is absent', { total: 'absent' }],
  ['is known to count something else', { total: 'all' }],
])('where the total %s, the end is asked for once more', async (_what, traits) => {
  const profile: PageProfile = { ...unknownProfile(500), totalMeaning: 'other' };
  const { verdict, starts } = await readShop(12, traits, profile);
  expect({ verdict, starts }).toEqual({ verdict: 'complete', starts: [0, 11, 12] });
});

test('a total that says more than the list holds proves nothing: the end is asked for twice', async () => {
  const { verdict, starts, profile } = await read(scripted([[1, 2, 3], [3], []], 80));
  expect({ verdict, starts }).toEqual({ verdict: 'complete', starts: [0, 2, 3, 3] });
  expect(profile.totalMeaning).toBe('other');
  expect((await read(scripted([[1, 2, 3], [3], [], [4]], 80))).verdict).toBe('shifted');
});

test.each<[string, number | undefined, number | undefined]>([
  ['a few orders less', 20, 30],
  ['nothing', undefined, 30],
  ['more than a few orders less', 19, undefined],
])('a total of 30 that says %s with a later page: %s is taken as %s', async (_what, later, total) => {
  const shop = new FakeShop(orders(30), { cap: 16 });
  const listOrders: typeof shop.listOrders = async (query) => {
    const page = await shop.listOrders(query);
    return query.start === 0 ? page : { ...page, total: later };
  };
  expect((await read({ listOrders })).matching.total).toBe(total);
});

test('a total that counts the rows of its page does not make a page that comes short the whole list', async () => {
  // The page from the last row on holds that row alone by chance, and more follow.
  const pages: readonly OrdersPage[] = [[1, 2, 3], [3], [4, 5]].map((ids) => {
    const rows = ids.map((id) => ({ orderId: String(id), raw: { order_id: id } }));
    const count = ids.length;
    return { rows, malformed: [], received: count, keys: ids.map(String), isKeyed: false, total: count };
  });
  let asked = 0;
  const { verdict, starts } = await read({
    listOrders: async () => pages[asked++] ?? expect.fail('asked on'),
  });
  expect({ verdict, starts }).toEqual({ verdict: 'shifted', starts: [0, 2, 3] });
});

test('a total that says less does not end a list', async () => {
  const { matching } = await readShop(12, { total: 'page', cap: 5 });
  expect(matching).toMatchObject({ verdict: 'complete', rows: { length: 12 } });
});

test('pages overlap in one row, whatever the shop makes of the limit', async () => {
  const { matching, starts, profile } = await readShop(12, { cap: 5 });
  expect(matching).toMatchObject({ verdict: 'complete', rows: { length: 12 } });
  expect(starts).toEqual([0, 4, 8, 11]);
  expect(profile).toMatchObject({ pageRows: 5, isUneven: false, totalMeaning: 'matches' });
  const keyed = await readShop(12, { cap: 5, isKeyed: true, sort: 'shuffled' });
  expect(keyed.matching).toMatchObject({ verdict: 'complete', rows: { length: 12 } });
});

test('pages that come short at random are all read, and the end is asked for three times', async () => {
  for (const pages of ['random', 'bytes'] as const) {
    const { matching, starts } = await readShop(40, { pages, cap: 9, total: 'absent' });
    expect(matching).toMatchObject({ verdict: 'complete', rows: { length: 40 } });
    expect(starts.filter((start) => start === 40)).toHaveLength(3);
  }
});

test('a last row that came alone by chance is found by asking beyond it', async () => {
  const { verdict, profile } = await read(scripted([[1, 2, 3], [3], [4, 5]]));
  expect(verdict).toBe('shifted');
  expect(profile.isUneven).toBe(true);
});

test.each<[string, readonly (readonly number[])[]]>([
  ['a row that came before', [[1, 2, 3], [3, 4, 1], [1], []]],
  ['another row in the place of the last one', [[1, 2, 3], [4], []]],
  ['a row placed before the last one', [[1, 2, 3], [2, 3], []]],
  ['a row deleted before the last one, so that the next page begins with another', [[1, 2, 3], [4, 5], []]],
  ['an overlap that does not come first', [[1, 2, 3], [4, 3], []]],
  ['an overlap with another row than the last one', [[1, 2, 3], [3, 4, 5], [4], []]],
  ['nothing from the last row on, three times', [[1, 2, 3], [], [], []]],
  ['the rows of the first page in the place of the third', [[1, 2, 3], [3, 4, 5], [1, 2, 3], []]],
])('%s shows that the list moved', async (_what, pages) => {
  expect((await read(scripted(pages))).verdict).toBe('shifted');
});

test('of a list of one page, another row alone shows that nothing follows: it comes in another order each time', async () => {
  expect((await read(scripted([[1, 2, 3], [1], []]))).verdict).toBe('complete');
  expect((await read(scripted([[1, 2, 3], [4], []]))).verdict).toBe('shifted');
});

test('a row twice, in the place of another one, shows that the list moved, on the first page or a later one', async () => {
  expect(await read(scripted([[1, 2, 2, 4], [4], []]))).toMatchObject({ verdict: 'twice', starts: [0] });
  expect(await read(scripted([[1, 2, 3], [3, 4, 4], [4], []]))).toMatchObject({
    verdict: 'twice',
    starts: [0, 2],
  });
});

test('a page that is enough counts as read, unless it lists a row twice', async () => {
  for (const [ids, verdict] of [
    [[1, 2, 3], 'stopped'],
    [[1, 2, 2], 'twice'],
  ] as const) {
    const deps = pagingDeps(scripted([ids]));
    expect((await readMatching(deps, ALL, { maxPages: 9 }, () => true)).verdict).toBe(verdict);
  }
});

test.each<[string, readonly number[], string]>([
  ['the rows that came, after more', [7, 5, 5], 'shifted'],
  ['the rows that came, after fewer', [4, 5, 5], 'complete'],
  ['all orders, of which one went', [80, 79, 79], 'shifted'],
  ['neither time the rows that came', [80, 60, 60], 'complete'],
  ['the rows of each page', [3, 3, 1], 'complete'],
])('a total that changes in between and counts %s', async (_what, totals, verdict) => {
  const pages = [[1, 2, 3], [3, 4, 5], [5], []];
  const { listOrders } = scripted(pages);
  let asked = 0;
  const recounting = async (query: OrdersQuery) => ({
    ...(await listOrders(query)),
    total: totals[Math.min(asked++, 2)],
  });
  expect((await read({ listOrders: recounting })).verdict).toBe(verdict);
});

test('an answer that is empty by mistake is asked for again', async () => {
  const { matching, starts } = await read(scripted([[1, 2, 3], [], [], [3], []]));
  expect(matching).toMatchObject({ verdict: 'complete', rows: { length: 3 } });
  expect(starts).toEqual([0, 2, 2, 2, 3]);
});

test('none and one are few: there is no row before the last to ask from', async () => {
  expect(await readShop(0)).toMatchObject({ verdict: 'few', starts: [0] });
  expect((await readShop(1)).matching).toMatchObject({ verdict: 'few', rows: { length: 1 } });
});

test('a shop that ignores start answers with its first page again, which may be cut', async () => {
  for (const isKeyed of [false, true]) {
    const { matching } = await readShop(12, { ignoresStart: true, cap: 5, isKeyed });
    expect(matching).toMatchObject({ verdict: 'start ignored', rows: { length: 5 } });
  }
});

test('a list of more pages than allowed is cut, and its pages tell how long a full one is', async () => {
  const shop = new FakeShop(orders(100), { cap: 5, total: 'absent' });
  const { matching, starts, profile } = await read(shop, { maxPages: 3 });
  expect(matching).toMatchObject({ verdict: 'cut', rows: { length: 13 } });
  expect(starts).toEqual([0, 4, 8]);
  expect(profile.pageRows).toBe(5);
});

test('where a total is far beyond the pages allowed, the first page is enough; one that lies only costs a split', async () => {
  const shop = new FakeShop(orders(900), { cap: 60 });
  const { matching, starts } = await read(shop, { maxPages: 10 });
  expect(matching).toMatchObject({ verdict: 'cut', rows: { length: 60 }, total: 900 });
  expect(starts).toEqual([0]);
  const other = { ...unknownProfile(500), totalMeaning: 'other' } as const;
  expect((await read(shop, { maxPages: 10, profile: other })).starts).toHaveLength(10);
  expect((await read(shop, { maxPages: 25, profile: unknownProfile(500) })).verdict).toBe('complete');
  // As many as fit into the pages, with the row in which two of them overlap: sixty and eight times fifty-nine.
  const fitting = await read(new FakeShop(orders(532), { cap: 60 }), { maxPages: 10 });
  expect(fitting.matching).toMatchObject({ verdict: 'complete', rows: { length: 532 } });
});

test('elements without an identifier do not disturb the proof, wherever a page ends', async () => {
  const shop = new FakeShop(orders(23), { cap: 5 });
  // Newest first, every fourth row is the one in which two pages overlap.
  const bad = new Set([1018, 1014, 1010, 1006]);
  const listOrders = async (query: OrdersQuery): Promise<OrdersPage> => {
    const page = await shop.listOrders(query);
    const isBad = (orderId: string) => bad.has(Number(orderId));
    const text = (orderId: string) => JSON.stringify({ fio: orderId });
    const malformed: readonly JsonValue[] = page.rows
      .filter(({ orderId }) => isBad(orderId))
      .map(({ orderId }) => ({ fio: orderId }));
    const rows = page.rows.filter(({ orderId }) => !isBad(orderId));
    return { ...page, rows, malformed, keys: page.keys.map((key) => (isBad(key) ? text(key) : key)) };
  };
  const { matching } = await read({ listOrders });
  expect(matching).toMatchObject({ verdict: 'complete', rows: { length: 19 }, malformed: { length: 4 } });
});

test('the instant of a reading is the one before its first request', async () => {
  const now = Temporal.Instant.from('2026-03-05T12:00:00Z');
  const shop = new FakeShop(orders(12));
  let asked = 0;
  const clock = () => now.add({ seconds: asked });
  const listOrders = async (query: OrdersQuery) => {
    asked++;
    return shop.listOrders(query);
  };
  const matching = await readMatching({ ...pagingDeps({ listOrders }), now: clock }, ALL, { maxPages: 100 });
  expect(matching).toMatchObject({ verdict: 'complete', askedAt: now });
});
