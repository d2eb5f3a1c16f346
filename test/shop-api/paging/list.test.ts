/** How the pages of a list are joined, and what shows its end. */
import { expect, test } from 'vitest';

import type { OrdersPage, OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { readList } from '../../../src/shop-api/paging/list.ts';
import { pageCapacity, unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import { local, pagingDeps } from './read-one.ts';

const DATES = { from: local('2026-03-05T00:00'), to: local('2026-03-06T00:00') };

function page(ids: readonly number[], change: Partial<OrdersPage> = {}): OrdersPage {
  const rows = ids.map((id) => ({
    orderId: String(id),
    raw: { order_id: id, created: '05.03.2026', time: `10:0${id}` },
  }));
  const keys = rows.map(({ orderId }) => orderId);
  return { rows, malformed: [], received: rows.length, keys, isKeyed: false, total: undefined, ...change };
}

/** Reads a list that answers with these pages, one after the other. */
async function read(pages: readonly OrdersPage[], maxPages = 400, isEnough?: (page: OrdersPage) => boolean) {
  const starts: (number | undefined)[] = [];
  const answers = [...pages];
  const listOrders = async ({ start }: OrdersQuery) => {
    starts.push(start);
    return answers.shift() ?? expect.fail('no more is asked for');
  };
  const deps = pagingDeps({ listOrders }, unknownProfile(500));
  const list = await readList(deps, DATES, { maxPages, ...(isEnough && { isEnough }) });
  const { kind, malformed, rows } = list;
  return {
    kind,
    why: 'why' in list ? list.why : undefined,
    ids: rows.map(({ orderId }) => Number(orderId)),
    malformed,
    starts,
    book: deps.book,
  };
}

test('each page is asked from the last row of the one before it, and that row alone is the end', async () => {
  const list = await read([page([1, 2, 3]), page([3, 4]), page([4])]);
  expect(list).toMatchObject({ kind: 'whole', ids: [1, 2, 3, 4], starts: [0, 2, 3] });
  expect(list.book).toMatchObject({ longestList: 4, profile: { pageRows: 3 } });
});

test.each([
  [4, [page([3, 4]), page([4])], 'matches'],
  [300, [page([3, 4]), page([4])], 'other'],
  [undefined, [page([3, 4]), page([4])], 'unknown'],
  // What contradicts itself says nothing.
  [3, [page([4, 5])], 'unknown'],
])('what a total of %s counts is compared with what was read', async (total, more, totalMeaning) => {
  const { book } = await read([page([1, 2, 3], { total }), ...more]);
  expect(book.profile).toMatchObject({ totalMeaning });
});

test('a total of one order, or of none, may be that of the page', async () => {
  const nothing = [page([]), page([]), page([])];
  for (const pages of [[page([1], { total: 1 }), ...nothing], [page([], { total: 0 })]])
    expect(await read(pages)).toMatchObject({
      kind: 'whole',
      book: { profile: { totalMeaning: 'unknown' } },
    });
});

test('a page is expected to hold what a full one did, and before one was seen, what is asked for', () => {
  const capacityOf = (pageRows: number) => pageCapacity({ ...unknownProfile(500), pageRows });
  expect([0, 100, 900, 1].map(capacityOf)).toEqual([500, 100, 500, 500]);
});

test.each<[string, readonly OrdersPage[], RegExp]>([
  ['a row that was inserted', [page([1, 2, 3]), page([2, 3, 4])], /2 orders in common/],
  ['a row that went', [page([1, 2, 3]), page([4, 5])], /0 orders in common/],
  ['another order of rows', [page([1, 2, 3]), page([4, 3])], /1 orders in common, not their last and first/],
  ['a row that comes again', [page([1, 2, 3]), page([3, 2, 4])], /2 orders in common/],
  ['the one row again', [page([1]), page([1])], /a single order, though more follow/],
  [
    'neither an identifier nor a date',
    [page([1], { malformed: [{ fio: 'x' }, 5] })],
    /neither a usable order_id nor/,
  ],
  ['a row that moved behind the last one', [page([1, 2, 3]), page([3, 1, 4])], /2 orders in common/],
  [
    'a last row that went',
    [page([1, 2, 3]), page([2, 4, 5])],
    /1 orders in common, not their last and first/,
  ],
  ['a row that comes twice', [page([1, 2, 2])], /lists an order twice/],
  ['a row that comes twice further on', [page([1, 2]), page([2, 3, 3])], /lists an order twice/],
  ['the first page again', [page([1, 2, 3]), page([1, 2, 3])], /ignores "start"/],
  ['nothing where a row was', [page([1, 2]), page([]), page([]), page([])], /start=1 is empty/],
])('%s makes a list odd', async (_what, pages, why) => {
  const list = await read(pages);
  expect(list).toMatchObject({ kind: 'odd', why: expect.stringMatching(why) });
  // Nor is it known to be longer than its first page.
  expect(list.book.longestList).toBe(pages[0]?.received);
});

test('an element with a date, or with an identifier that another has, belongs to the list', async () => {
  const malformed = [{ order_id: 3 }, { created: '05.03.2026', time: '10:00' }];
  expect(await read([page([1, 2], { malformed }), page([2])])).toMatchObject({ kind: 'whole', malformed });
});

test('an answer that is empty by mistake is asked for again', async () => {
  const list = await read([page([1, 2]), page([]), page([2, 3]), page([]), page([]), page([3])]);
  expect(list).toMatchObject({ kind: 'whole', ids: [1, 2, 3], starts: [0, 1, 1, 2, 2, 2] });
});

test('of pages that are objects, and of a list of one page, any row may be the last', async () => {
  const keyed = { isKeyed: true };
  expect(await read([page([1, 2, 3], keyed), page([2, 4], keyed), page([4], keyed)])).toMatchObject({
    kind: 'whole',
    ids: [1, 2, 3, 4],
  });
  expect(await read([page([1, 2, 3]), page([1])])).toMatchObject({ kind: 'whole', ids: [1, 2, 3] });
  expect(await read([page([1, 2]), page([2, 3, 4]), page([3])])).toMatchObject({ kind: 'odd' });
});

test('a list in no order of time has ended where no other row follows the last one', async () => {
  const pages = [page([1, 3, 2]), page([2])];
  const nothing = [page([]), page([]), page([])];
  expect(await read([...pages, ...nothing])).toMatchObject({ kind: 'whole', starts: [0, 2, 3, 3, 3] });
  const longer = [page([1, 3, 2]), page([2, 5, 4]), page([4])];
  expect(await read([...longer, page([4])]), 'its last row again').toMatchObject({ kind: 'whole' });
  expect(await read([...pages, page([4])])).toMatchObject({
    kind: 'odd',
    why: 'the answer to start=2 has a single order, though more follow',
  });
});

test('a list of few rows, all of one minute, has ended where no other row follows the last one', async () => {
  const ofOneMinute = (ids: readonly number[]) => {
    const rows = ids.map((id) => ({
      orderId: String(id),
      raw: { order_id: id, created: '05.03.2026', time: '10:00' },
    }));
    return page(ids, { rows });
  };
  const pages = [ofOneMinute([1, 2]), ofOneMinute([2])];
  const nothing = [page([]), page([]), page([])];
  expect(await read([...pages, ...nothing])).toMatchObject({ kind: 'whole', starts: [0, 1, 2, 2, 2] });
  expect(await read([...pages, page([3])])).toMatchObject({ kind: 'odd' });
});

test('a single row is all that there is only where no other follows, as long as no page had more', async () => {
  const nothing = [page([]), page([]), page([])];
  expect(await read([page([1]), ...nothing])).toMatchObject({ kind: 'whole', starts: [0, 1, 1, 1] });
  expect(await read([page([1]), page([]), page([2])])).toMatchObject({
    kind: 'odd',
    why: 'the answer to start=0 has a single order, though more follow',
    starts: [0, 1, 1],
  });
});

test('no more pages are read than were wanted', async () => {
  const profile = { pageRows: 3 };
  const pages = [page([1, 2, 3]), page([3, 4])];
  expect(await read(pages, 2)).toMatchObject({ kind: 'long', ids: [1, 2, 3, 4], book: { profile } });
  const isEnough = ({ keys }: OrdersPage) => keys.includes('1');
  expect(await read(pages, 400, isEnough)).toMatchObject({ kind: 'long', ids: [1, 2, 3], book: { profile } });
});

test('of orders that share an identifier none is taken', async () => {
  const other = { orderId: '1', raw: { order_id: 1, created: '05.03.2026', time: '11:00' } };
  const pages = [
    page([1, 2]),
    { ...page([2]), rows: [...page([2]).rows, other], keys: ['2', 'other'], received: 2 },
  ];
  const last = { ...page([1]), rows: [other], keys: ['other'] };
  const list = await read([...pages, last, page([]), page([]), page([])]);
  expect(list).toMatchObject({ kind: 'whole', ids: [2], malformed: [page([1]).rows[0]?.raw, other.raw] });
  // Were it that an answer shows both of them.
  const both = page([1, 2], { malformed: [{ order_id: 2, fio: 'x' }] });
  expect(await read([both, page([2]), page([]), page([]), page([])])).toMatchObject({
    ids: [1],
    malformed: [{ fio: 'x' }, { created: '05.03.2026' }],
  });
});
