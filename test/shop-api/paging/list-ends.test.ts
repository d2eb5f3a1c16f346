/** Lists that end at a position and not at their last order, and days of which the beginning is proven by itself. */
import { expect, test } from 'vitest';

import { windowText } from '../../../src/model/window.ts';
import type { ListRow } from '../../../src/shop-api/endpoints/list-orders.ts';
import { type PageProfile, unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { readWindow } from '../../../src/shop-api/paging/walk.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { asked, knownAt, local, pagingDeps, readOne } from './read-one.ts';

const FIRST = secondsOf('2026-02-20T00:30');
/** Forty orders, one every six hours. */
const ORDERS = Array.from({ length: 40 }, (_, index): FakeOrder => {
  return { id: 1000 + index, created: FIRST + index * 6 * 3600 };
});
const ALL = asked(undefined, undefined);
const SINCE = asked('2026-02-22T00:00', undefined);
const KNOWN = knownAt('2026-02-20T18:30', '2026-02-21T12:30', '2026-02-21T18:30');
const TOTALS = ['matches', 'all', 'absent', 'page', 'random'] as const;
const CAPS = [4, 10, Infinity];

const sorted = (['desc', 'asc'] as const).flatMap((sort) =>
  TOTALS.flatMap((total) => CAPS.map((cap): FakeTraits => ({ sort, total, cap }))),
);
/** In no order of time, only a total that says more tells that rows are missing. */
const unsorted = (['id', 'shuffled'] as const).flatMap((sort) =>
  CAPS.map((cap): FakeTraits => ({ sort, total: 'matches', cap })),
);

test.each([...sorted, ...unsorted])('a list that ends at a position is not whole: %j', async (traits) => {
  expect((await readOne(new FakeShop(ORDERS, { ...traits, endsAt: 25 }), ALL)).kind).toBe('cut');
  // The same list to its last order.
  expect(await readOne(new FakeShop(ORDERS, traits), ALL)).toMatchObject({
    kind: 'whole',
    rows: { length: 40 },
    isOldest: true,
    isUndated: true,
  });
});

test.each([...sorted, ...unsorted])('nor is one with a date at one end: %j', async (traits) => {
  const cut = await readOne(new FakeShop(ORDERS, { ...traits, endsAt: 25 }), SINCE, KNOWN);
  // Of a list that begins with the newest order, the end is known to be missing: what came proves its part.
  if (cut.kind === 'whole') expect(cut.window.from.toString()).toBe('2026-02-24T00:00:00');
  else expect(cut.kind).toBe('cut');
  const whole = await readOne(new FakeShop(ORDERS, traits), SINCE, KNOWN);
  expect(whole).toMatchObject({ kind: 'whole', rows: { length: 32 }, isOldest: false, isUndated: false });
});

test('a crowded minute at which a list ends does not hide what lies beyond it', async () => {
  const crowd = Array.from({ length: 12 }, (_, index) => ({
    id: 2000 + index,
    created: FIRST + 15 * 6 * 3600 + 600 + index,
  }));
  // Newest first, 24 orders, the crowd and 16 older ones: the list ends within the crowd.
  const traits = { cap: 10, total: 'absent' } as const;
  expect((await readOne(new FakeShop([...ORDERS, ...crowd], { ...traits, endsAt: 30 }), ALL)).kind).toBe(
    'cut',
  );
  expect((await readOne(new FakeShop([...ORDERS, ...crowd], traits), ALL)).kind).toBe('whole');
});

/** The dates of the requests after so many. */
function datesAfter(shop: FakeShop, requests: number) {
  const text = (time?: Temporal.PlainDateTime) => time?.toString({ smallestUnit: 'minute' }) ?? 'open';
  return shop.queries.slice(requests).map(({ dateFrom, dateTo }) => `${text(dateFrom)} to ${text(dateTo)}`);
}

test.each<[FakeTraits, string[]]>([
  // The last rows and what is older, what is newer, or both.
  [{ sort: 'desc' }, ['1970-01-01T00:00 to 2026-02-20T18:31']],
  // The first rows are the oldest ones: whether the list is as long with dates says its last position.
  [{ sort: 'asc' }, ['1970-01-01T00:00 to 2037-12-31T23:59', '2026-03-01T00:29 to 2037-12-31T23:59']],
  [{ sort: 'shuffled' }, ['1970-01-01T00:00 to 2026-02-20T18:31', '2026-03-01T00:29 to 2037-12-31T23:59']],
])('the open ends of a list of several pages are asked for once more: %j', async (traits, expected) => {
  const shop = new FakeShop(ORDERS, { ...traits, cap: 10 });
  await readOne(shop, ALL);
  expect(shop.queries.slice(0, 6).map(({ start }) => start)).toEqual([0, 9, 18, 27, 36, 39]);
  expect(datesAfter(shop, 6)).toEqual(expected);
});

test.each([
  ['desc', []],
  ['asc', ['2026-03-01T00:29 to 2037-12-31T23:59']],
  ['shuffled', ['2026-03-01T00:29 to 2037-12-31T23:59']],
] as const)(
  'with a date at one end, only the other one may be asked for once more: %s',
  async (sort, expected) => {
    const shop = new FakeShop(ORDERS, { sort, cap: 10 });
    await readOne(shop, SINCE, KNOWN);
    expect(datesAfter(shop, 5)).toEqual(expected);
  },
);

test('between audits, a single page as long as its total needs no such request at its newest end', async () => {
  for (const sort of ['desc', 'asc', 'shuffled'] as const) {
    const shop = new FakeShop(ORDERS, { sort });
    await readOne(shop, SINCE, KNOWN);
    expect(shop.queries.map(({ start }) => start)).toEqual([0, 33]);
  }
  // A backfill looks beyond it.
  for (const confirmsEnds of [false, true]) {
    const shop = new FakeShop(ORDERS, { sort: 'asc', endsAt: 25, total: 'served' });
    expect((await readWindow({ ...pagingDeps(shop), known: KNOWN, confirmsEnds }, SINCE)).kind).toBe(
      confirmsEnds ? 'cut' : 'whole',
    );
  }
});

test.each<[string, FakeTraits, readonly FakeOrder[]]>([
  ['filters in another zone', { shiftHours: -11 }, []],
  ['filters in a zone on the other side', { shiftHours: 11 }, []],
  ['filters by whole days', { precision: 'day' }, []],
  ['leaves the ends of its dates out', { dateTo: 'exclusive', dateFrom: 'exclusive' }, []],
  [
    'has more orders in its first and last minute than a page holds',
    {},
    Array.from({ length: 24 }, (_, index) => ({
      id: 2000 + index,
      created: index < 12 ? FIRST + index : FIRST + 39 * 6 * 3600 + index,
    })),
  ],
])('the ends are confirmed of a shop that %s', async (_what, traits, more) => {
  for (const sort of ['desc', 'asc', 'shuffled'] as const) {
    const shop = new FakeShop([...ORDERS, ...more], { ...traits, sort, cap: 10, total: 'absent' });
    expect(await readOne(shop, ALL)).toMatchObject({ kind: 'whole', rows: { length: 40 + more.length } });
  }
});

const ARCHIVED: FakeTraits = { archivedBefore: secondsOf('2026-02-22T00:00') };
/** What is learned where a list hides orders, and the first of the dates that are known to show them. */
const PART = { isUndatedPartial: true, endsAt: undefined, from: '1970-01-01' };
const ENDS_AT = (endsAt: number) => ({ isUndatedPartial: false, endsAt, from: '1970-01-01' });
const NOTHING = { isUndatedPartial: false, endsAt: undefined, from: '1970-01-01' };

test.each<[FakeTraits, boolean, 'cut' | 'whole', object]>([
  [{ undatedDays: 3 }, false, 'cut', PART],
  [{ undatedDays: 3, knowsNoEpoch: true }, false, 'cut', { ...PART, from: '2001-01-01' }],
  [{ endsAt: 25, total: 'served' }, false, 'cut', ENDS_AT(25)],
  [{}, true, 'whole', NOTHING],
  // What only lists show that end before it is asked for where the whole history is read.
  [ARCHIVED, false, 'whole', NOTHING],
  [ARCHIVED, true, 'cut', ENDS_AT(32)],
])(
  'why a list hides orders is learned: %j, beyond its ends: %j',
  async (traits, confirmsEnds, kind, learned) => {
    for (const sort of ['desc', 'asc', 'shuffled'] as const) {
      const shop = new FakeShop(ORDERS, { sort, ...traits });
      const deps = { ...pagingDeps(shop), known: knownAt(), confirmsEnds };
      expect((await readWindow(deps, ALL)).kind).toBe(kind);
      const { isUndatedPartial, endsAt } = deps.book.profile;
      const from = deps.book.farthest?.from?.toPlainDate().toString();
      expect({ isUndatedPartial, endsAt, from }).toEqual(learned);
    }
  },
);

const isNamed = ({ orderId }: ListRow) => orderId !== '1020';

test('orders without a date, which no dates show, do not make a list look longer with dates, or shorter', async () => {
  for (const created of [FIRST - 1, FIRST + 90 * 86_400]) {
    for (const sort of ['desc', 'asc', 'shuffled'] as const) {
      const orders = [...ORDERS, { id: 1, created, hasNoDate: true }];
      const shop = new FakeShop(orders, { sort, total: 'page', cap: 10 });
      // Nor does an element that has a date, and no identifier.
      const listOrders: typeof shop.listOrders = async (query) => {
        const page = await shop.listOrders(query);
        const [rows, nameless] = [page.rows.filter(isNamed), page.rows.filter((row) => !isNamed(row))];
        return { ...page, rows, malformed: nameless.map(({ raw }) => ({ ...raw, order_id: null })) };
      };
      const deps = pagingDeps({ listOrders });
      const reading = await readWindow({ ...deps, known: knownAt() }, ALL);
      expect(reading).toMatchObject({ kind: 'whole', rows: { length: 40 }, malformed: { length: 1 } });
      expect(deps.book.profile).toMatchObject({ endsAt: undefined, isUndatedPartial: false });
      const hiding = pagingDeps(new FakeShop(orders, { ...ARCHIVED, sort }));
      expect((await readWindow({ ...hiding, known: knownAt(), confirmsEnds: true }, ALL)).kind).toBe('cut');
      expect(hiding.book.profile).toMatchObject({ endsAt: created < FIRST ? 32 : 33, wantsBothDates: false });
    }
  }
});

test('of a shop that takes a single date for none, a window is whole with both dates, however near its orders lie', async () => {
  for (const sort of ['desc', 'asc', 'shuffled'] as const) {
    const shop = new FakeShop(ORDERS.slice(0, 8), { sort, wantsBothDates: true, total: 'page' });
    const deps = { ...pagingDeps(shop), known: knownAt('2026-02-21T00:30', '2026-02-21T06:30') };
    const until = asked(undefined, '2026-02-21T00:00');
    const [first, again] = [await readWindow(deps, until), await readWindow(deps, until)];
    expect(first.kind).toBe(sort === 'asc' ? 'cut' : 'whole');
    expect(again).toMatchObject({ kind: 'whole', rows: { length: 4 }, isUndated: false });
    expect(deps.book.profile).toMatchObject({ endsAt: undefined, isUndatedPartial: false });
  }
});

test.each<[Partial<PageProfile>, boolean]>([
  // As long as one that hid orders.
  [{ endsAt: 40 }, true],
  [{ endsAt: 39 }, false],
  [{ isUndatedPartial: true }, false],
])(
  'of a shop that is known to hide orders, both halves of a list that may lack some come again: %j',
  async (known, isHalved) => {
    for (const sort of ['desc', 'asc', 'shuffled'] as const) {
      const shop = new FakeShop(ORDERS, { sort, total: 'absent' });
      const deps = { ...pagingDeps(shop, { ...unknownProfile(500), ...known }), known: knownAt() };
      expect(await readWindow(deps, ALL)).toMatchObject({ kind: 'whole', rows: { length: 40 } });
      const halves = shop.queries.filter(
        ({ dateFrom, dateTo }) =>
          dateFrom?.equals(local('2026-02-25T00:29')) === true ||
          dateTo?.equals(local('2026-02-25T00:31')) === true,
      );
      // A list in no order of time is confirmed once, and then shorter ones are trusted.
      const isUnsorted = sort === 'shuffled';
      expect(halves).toHaveLength(isHalved || isUnsorted ? 2 : 0);
      expect(deps.book.confirmedRows).toBe(isHalved || sort === 'shuffled' ? 40 : undefined);
      const { requests } = shop;
      await readWindow(deps, SINCE);
      expect(
        shop.queries.slice(requests).some(({ dateFrom }) => dateFrom?.equals(local('2026-02-26T00:29'))),
      ).toBe(false);
    }
  },
);

test('an order that is deleted at the end of the list while that is confirmed, makes the walk begin again', async () => {
  const shop = new FakeShop(ORDERS, {
    cap: 10,
    before: (moving) => {
      if (moving.requests === 7) moving.remove(1001);
    },
  });
  expect(await readOne(shop, ALL)).toMatchObject({ kind: 'whole', rows: { length: 39 } });
  const undated = shop.queries.filter(({ dateFrom, dateTo }) => (dateFrom ?? dateTo) === undefined);
  expect(undated.filter(({ start }) => start === 9)).toHaveLength(2);
});

test('so does an order that is placed then, and no end is learned from it', async () => {
  const before = (moving: FakeShop) => {
    if (moving.requests === 7) moving.insert({ id: 2000, created: FIRST + 40 * 6 * 3600 });
  };
  const deps = { ...pagingDeps(new FakeShop(ORDERS, { sort: 'asc', cap: 10, before })), known: knownAt() };
  expect(await readWindow(deps, ALL)).toMatchObject({ kind: 'whole', rows: { length: 41 } });
  expect(deps.book.profile.endsAt).toBeUndefined();
});

test('between two dates, only a total of the matches that says more tells that rows of no order are missing', async () => {
  const days = asked('2026-02-22T00:00', '2026-02-28T00:00');
  const known = knownAt('2026-02-21T12:30', '2026-02-21T18:30', '2026-02-28T00:30', '2026-02-28T06:30');
  const traits = { sort: 'shuffled', total: 'matches' } as const;
  expect((await readOne(new FakeShop(ORDERS, { ...traits, endsAt: 22 }), days, known)).kind).toBe('cut');
  expect((await readOne(new FakeShop(ORDERS, traits), days, known)).kind).toBe('whole');
});

test('a total of all orders does not make a list in no order of time look cut, nor does an older order that is deleted meanwhile', async () => {
  for (const requests of [0, 6]) {
    const before = (moving: FakeShop) => {
      if (moving.requests === requests) moving.remove(1000);
    };
    const shop = new FakeShop(ORDERS, { sort: 'shuffled', total: 'all', cap: 10, before });
    expect(await readOne(shop, SINCE, KNOWN)).toMatchObject({ kind: 'whole', rows: { length: 32 } });
    expect(shop.orders).toHaveLength(requests === 0 ? 40 : 39);
  }
});

test('an element that is no order is one of those that the total counts', async () => {
  const shop = new FakeShop(ORDERS, { sort: 'shuffled' });
  const listOrders: FakeShop['listOrders'] = async (query) => {
    const page = await shop.listOrders(query);
    const rows = page.rows.filter(({ orderId }) => orderId !== '1020');
    return { ...page, rows, malformed: rows.length < page.rows.length ? [{ created: '25.02.2026' }] : [] };
  };
  expect(await readOne({ listOrders }, SINCE, KNOWN)).toMatchObject({ kind: 'whole', rows: { length: 31 } });
});

const DAY = asked('2026-03-05T00:00', '2026-03-06T00:00');
const NEXT = knownAt('2026-03-06T08:00', '2026-03-06T09:00');
const daily = (...times: readonly string[]) =>
  times.map((time, index): FakeOrder => ({ id: index + 1, created: secondsOf(time) }));
const OF_DAY = [8, 10, 12, 14, 16].map((hour) => `2026-03-05T${String(hour).padStart(2, '0')}:00`);
const AFTER = ['2026-03-06T08:00', '2026-03-06T09:00'];
const OLDER = '2026-02-20T10:00';

/** The part of the day that a reading proves, and its orders. */
async function readDay(shop: FakeShop) {
  const reading = await readOne(shop, DAY, NEXT);
  if (reading.kind !== 'whole') return { kind: reading.kind };
  const ids = reading.rows.map(({ orderId }) => Number(orderId)).toSorted((a, b) => a - b);
  return { window: windowText(reading.window), ids, isUndated: reading.isUndated };
}
const WHOLE_DAY = '2026-03-05T00:00 to 2026-03-06T00:00';
const ALL_BUT_MORNING = '2026-03-05T08:01 to 2026-03-06T00:00';

test('a day of which all but the beginning is proven is completed by one more list: of its first orders and what is older', async () => {
  for (const sort of ['desc', 'asc', 'shuffled'] as const) {
    const shop = new FakeShop(daily(...OF_DAY, ...AFTER, OLDER), { sort });
    expect(await readDay(shop)).toEqual({ window: WHOLE_DAY, ids: [1, 2, 3, 4, 5], isUndated: false });
    const [, , completing] = shop.queries;
    expect(completing?.dateFrom).toBeUndefined();
    expect(completing?.dateTo?.toString()).toBe('2026-03-05T14:01:00');
  }
});

test.each<[string, (shop: FakeShop) => void]>([
  ['came in at the beginning', (shop) => shop.insert({ id: 9, created: secondsOf('2026-03-05T03:00') })],
  ['came in among the first', (shop) => shop.insert({ id: 9, created: secondsOf('2026-03-05T09:00') })],
  ['was deleted', (shop) => shop.remove(2)],
  [
    'was replaced',
    (shop) => {
      shop.remove(2);
      shop.insert({ id: 9, created: secondsOf('2026-03-05T10:00') });
    },
  ],
])('where an order %s meanwhile, the beginning stays open', async (_what, move) => {
  const shop: FakeShop = new FakeShop(daily(...OF_DAY, ...AFTER, OLDER), {
    before: (moving) => {
      if (moving.requests === 3) move(moving);
    },
  });
  expect(await readDay(shop)).toMatchObject({ window: ALL_BUT_MORNING });
});

test('where the shop fails at what is older, the beginning stays open', async () => {
  const shop = new FakeShop(daily(...OF_DAY, ...AFTER, OLDER), { failsAt: { ids: [8] } });
  expect(await readDay(shop)).toMatchObject({ window: ALL_BUT_MORNING });
  // The list and its last row, what is older, and a small request that is answered.
  expect(shop.requests).toBe(4);
});

test('a day of one order is completed as well, by its only row and what is older', async () => {
  const shop = new FakeShop(daily('2026-03-05T08:00', ...AFTER, OLDER));
  expect(await readDay(shop)).toEqual({ window: WHOLE_DAY, ids: [1], isUndated: false });
});

test('a crowd in the first minute of a day cannot be told from what lies before it', async () => {
  const crowd = Array.from({ length: 5 }, () => '2026-03-05T08:00');
  const shop = new FakeShop(daily(...crowd, ...OF_DAY.slice(1), ...AFTER, OLDER));
  expect(await readDay(shop)).toMatchObject({ window: ALL_BUT_MORNING });
  expect(shop.requests).toBe(2);
});

test('what begins within a day is not looked below where that is where the window begins', async () => {
  const shop = new FakeShop(daily(...OF_DAY, ...AFTER, OLDER));
  const part = asked('2026-03-05T09:00', '2026-03-06T00:00');
  const known = knownAt('2026-03-05T08:00', OLDER, '2026-03-06T08:00', '2026-03-06T09:00');
  expect(await readOne(shop, part, known)).toMatchObject({ kind: 'whole', rows: { length: 4 } });
  expect(shop.requests).toBe(2);
});
