import { expect, test } from 'vitest';

import { UnavailableError } from '../../../src/errors.ts';
import type { OrdersPage, OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';

import { unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { readWindow } from '../../../src/shop-api/paging/walk.ts';
import { windowText } from '../../../src/window.ts';
import { rejection } from '../api-of.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { ascending, expectTiled, readAll } from './read-all.ts';
import { asked, knownAt, local, pagingDeps, readOne } from './read-one.ts';

const numbered = (created: readonly number[]): readonly FakeOrder[] =>
  created.map((seconds, index) => ({ id: 1000 + index, created: seconds }));
const ordersAt = (...times: readonly string[]) =>
  numbered(times.map((time) => secondsOf(`2026-03-05T${time}`)));

const DAYS = { from: '2026-03-01', to: '2026-03-20' };

test('a server that ignores start is read in smaller windows, and only days around a crowded minute are left open', async () => {
  const spread = Array.from({ length: 120 }, (_, index) => secondsOf('2026-03-02T08:00') + index * 10_007);
  const shop = new FakeShop(numbered(spread), { cap: 10, ignoresStart: true, mostRequests: 1000 });
  const quiet = await readAll(shop, DAYS);
  expect(ascending(quiet.ids)).toEqual(ascending(shop.orders.map(({ id }) => id)));
  const crowd = Array.from({ length: 15 }, (_, second) => secondsOf('2026-03-10T12:34') + second);
  const crowded = new FakeShop(numbered([...spread, ...crowd]), shop.traits);
  const { readings } = await readAll(crowded, DAYS);
  const open = readings.filter((reading) => reading.kind === 'unproven');
  // No answer for the two days below it reaches beyond them without being cut by the crowd.
  const openDays = open.flatMap(({ window: { from, to } }) => {
    const [first, last] = [from.toPlainDate(), to.subtract({ minutes: 1 }).toPlainDate()];
    const length = first.until(last).days + 1;
    return Array.from({ length }, (_, days) => last.subtract({ days }).toString());
  });
  expect([...new Set(openDays)]).toEqual(['2026-03-10', '2026-03-09', '2026-03-08']);
  expect(open[0]?.reason).toMatch(/ignores "start", and the minute .* cannot be read whole|too many parts/);
  for (const reading of readings) {
    if (reading.kind === 'unproven') continue;
    const [from, to] = [secondsOf(reading.window.from), secondsOf(reading.window.to)];
    const own = crowded.orders.filter(({ created }) => created >= from && created < to);
    expect(ascending(reading.rows.map(({ orderId }) => Number(orderId)))).toEqual(
      ascending(own.map(({ id }) => id)),
    );
  }
});

test('a server that takes one date for none is sent both from then on', async () => {
  const old = [1, 2, 3].map((id) => ({ id, created: secondsOf('2024-01-01') }));
  const shop = new FakeShop([...ordersAt('08:00', '09:00', '10:00'), ...old], { wantsBothDates: true });
  const known = knownAt('2026-03-05T08:00', '2026-03-05T09:00');
  const reading = await readOne(shop, asked('2026-03-05T09:30', undefined), known);
  expect(reading.kind === 'whole' && reading.rows.map(({ orderId }) => orderId)).toEqual(['1002']);
  const [first, ...rest] = shop.queries;
  expect(first?.dateTo).toBeUndefined();
  expect(rest.length).toBeGreaterThan(0);
  for (const { dateFrom, dateTo } of rest) expect(dateFrom && dateTo).toBeDefined();
});

test('what total counts is learned right, and a wrong belief about it loses nothing', async () => {
  const spread = numbered(Array.from({ length: 200 }, (_, index) => secondsOf(DAYS.from) + index * 8000));
  const surrounding = numbered([secondsOf('2026-02-01'), secondsOf('2026-02-02')]).map(({ created }, id) => ({
    id,
    created,
  }));
  for (const [total, meaning] of [
    ['matches', 'matches'],
    ['all', 'other'],
    ['absent', 'unknown'],
  ] as const) {
    for (const totalMeaning of ['unknown', 'matches', 'other'] as const) {
      const shop = new FakeShop([...spread, ...surrounding], { total, cap: 15 });
      const { profile, ids } = await readAll(shop, {
        ...DAYS,
        profile: { ...unknownProfile(500), totalMeaning },
      });
      expect(ascending(ids)).toEqual(spread.map(({ id }) => id));
      expect(profile).toMatchObject({
        pageRows: 15,
        totalMeaning: total === 'absent' ? totalMeaning : meaning,
      });
    }
  }
});

test('a list of which only none or one row comes is not called whole', async () => {
  for (const kept of [0, 1]) {
    const shop = new FakeShop(ordersAt('10:01', '10:02', '10:03', '10:04'));
    const listOrders: typeof shop.listOrders = async (query) => {
      const page = await shop.listOrders(query);
      const rows = page.rows.slice(0, kept);
      return { ...page, rows, keys: page.keys.slice(0, kept), received: rows.length };
    };
    const { readings } = await readAll({ listOrders }, DAYS);
    expect(readings.map(({ kind }) => kind)).not.toContain('whole');
  }
});

test('a shop that lists no orders at all proves nothing by that, and one order is proven by asking beyond it', async () => {
  const none = await readOne(new FakeShop([]), asked(undefined, undefined));
  expect(none).toMatchObject({
    kind: 'unproven',
    reason: expect.stringMatching(/lists no orders at all.*all times/),
  });
  const shop = new FakeShop(ordersAt('10:00'));
  expect(await readOne(shop, asked(undefined, undefined))).toMatchObject({
    kind: 'whole',
    rows: { length: 1 },
  });
  expect(shop.queries.map(({ start }) => start)).toEqual([0, 0, 1, 1, 1]);
});

test('an order of the boundary minute is left to the next window', async () => {
  const shop = new FakeShop(ordersAt('09:59:59', '10:00:00', '10:59:59', '11:00:00'));
  const idsOf = async (from: string, to: string) => {
    const reading = await readOne(shop, asked(`2026-03-05T${from}`, `2026-03-05T${to}`));
    return reading.kind === 'whole' ? reading.rows.map(({ orderId }) => Number(orderId)) : undefined;
  };
  expect(await idsOf('10:00', '11:00')).toEqual([1002, 1001]);
  expect(await idsOf('11:00', '12:00')).toEqual([1003]);
  expect(await idsOf('09:00', '10:00')).toEqual([1000]);
});

const ENDS: readonly FakeTraits[] = [
  {},
  { dateFrom: 'exclusive' },
  { dateTo: 'exclusive' },
  { dateFrom: 'exclusive', dateTo: 'exclusive', precision: 'minute' },
  { precision: 'day' },
  { dateFrom: 'exclusive', dateTo: 'exclusive', precision: 'day' },
  { shiftHours: 11 },
  { shiftHours: -11 },
];
test.each(ENDS)(
  'orders at the very ends of a window are in it, whatever the dates mean: %j',
  async (traits) => {
    const shop = new FakeShop(
      numbered(
        [
          '2026-03-03T08:00',
          '2026-03-04T12:00',
          '2026-03-04T23:59:59',
          '2026-03-05T00:00',
          '2026-03-05T00:00:30',
          '2026-03-05T23:59',
          '2026-03-05T23:59:59',
          '2026-03-06T00:00',
          '2026-03-07T08:00',
          '2026-03-08T08:00',
        ].map(secondsOf),
      ),
      traits,
    );
    const known = knownAt(
      '2026-03-03T08:00',
      '2026-03-04T12:00',
      '2026-03-04T23:59',
      '2026-03-06T00:00',
      '2026-03-07T08:00',
    );
    const ids: number[] = [];
    for (let to = '2026-03-06T00:00'; to > '2026-03-05T00:00';) {
      const reading = await readOne(shop, asked('2026-03-05T00:00', to), known);
      if (reading.kind !== 'whole') throw new Error(JSON.stringify(reading));
      ids.push(...reading.rows.map(({ orderId }) => Number(orderId)));
      // What was not reached below is left to the next window.
      to = reading.window.from.toString({ smallestUnit: 'minute' });
    }
    expect(ascending(ids)).toEqual([1003, 1004, 1005, 1006]);
  },
);

test('a day without orders is proven by the known ones around it, with one list and one probe', async () => {
  const shop = new FakeShop(numbered(['2026-03-04T12:00', '2026-03-06T12:00'].map(secondsOf)));
  const known = knownAt('2026-03-04T12:00', '2026-03-06T12:00');
  const reading = await readOne(shop, asked('2026-03-05T00:00', '2026-03-06T00:00'), known);
  expect(reading).toMatchObject({ kind: 'whole', rows: [], isOldest: false });
  expect(shop.requests).toBe(2);
});

test('known orders that have vanished are looked beyond, until others are reached', async () => {
  const shop = new FakeShop(
    numbered(['2025-11-01T12:00', '2025-12-01T12:00', '2026-05-01T12:00', '2026-05-02T12:00'].map(secondsOf)),
  );
  const known = knownAt('2026-03-04T11:00', '2026-03-04T12:00', '2026-03-06T12:00', '2026-03-06T13:00');
  const reading = await readOne(shop, asked('2026-03-05T00:00', '2026-03-06T00:00'), known);
  expect(reading).toMatchObject({ kind: 'whole', rows: [] });
});

test('an empty answer is no proof of an empty day: the orders are reached by asking farther', async () => {
  const orders = numbered(
    ['2026-03-04T12:00', '2026-03-05T09:00', '2026-03-05T10:00', '2026-03-06T12:00'].map(secondsOf),
  );
  const known = knownAt('2026-03-04T12:00', '2026-03-06T12:00');
  for (let empties = 1; empties <= 6; empties++) {
    const shop = new FakeShop(orders);
    const listOrders: typeof shop.listOrders = async (query) => {
      const page = await shop.listOrders(query);
      if (shop.requests > empties) return page;
      return { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: 0 };
    };
    const reading = await readOne({ listOrders }, asked('2026-03-05T00:00', '2026-03-06T00:00'), known);
    expect(reading).toMatchObject({ kind: 'whole', rows: { length: 2 } });
  }
});

test('below the oldest order nothing is left to ask, and the reading says so', async () => {
  const shop = new FakeShop(ordersAt('08:00', '09:00'));
  const reading = await readOne(shop, asked(undefined, '2026-03-20T00:00'));
  expect(reading).toMatchObject({ kind: 'whole', isOldest: true, isUndated: true });
  const newest = await readOne(
    shop,
    asked('2026-03-05T08:30', undefined, { lowest: asked('2026-03-01T00:00', undefined).window.from }),
  );
  expect(newest).toMatchObject({ kind: 'whole', isOldest: false, rows: { length: 1 } });
});

test('orders without a readable date come along with whatever window meets them', async () => {
  const shop = new FakeShop(ordersAt('08:00', '09:00', '10:00'));
  const undated = { orderId: '7', raw: { order_id: 7, created: '00.00.0000' } };
  const listOrders: typeof shop.listOrders = async (query) => {
    const page = await shop.listOrders(query);
    const last = (query.start ?? 0) + page.received === 3 && query.dateFrom === undefined;
    const [rows, keys] = [
      [...page.rows, undated],
      [...page.keys, '7'],
    ];
    if (query.start === 3) return { ...page, rows: [undated], keys: ['7'], received: 1, total: 4 };
    return last ? { ...page, rows, keys, received: page.received + 1, total: 4 } : page;
  };
  const reading = await readOne({ listOrders }, asked(undefined, undefined));
  expect(reading.kind === 'whole' && reading.rows.map(({ orderId }) => orderId)).toContain('7');
});

test('a minute that shifts for ever is given up after five walks, and longer ones are cut before', async () => {
  const restless = () => {
    let id = 5000;
    const seconds = Array.from({ length: 12 }, (_, second) => secondsOf('2026-03-05T10:00') + second);
    return new FakeShop(
      numbered([...seconds, secondsOf('2026-03-04T10:00'), secondsOf('2026-03-06T10:00')]),
      {
        cap: 5,
        before: (moving) => moving.insert({ id: ++id, created: secondsOf('2026-03-07T10:00') }),
      },
    );
  };
  const known = knownAt('2026-03-04T10:00', '2026-03-06T10:00', '2026-03-07T10:00');
  const shop = restless();
  const minute = await readOne(shop, asked('2026-03-05T10:00', '2026-03-05T10:01'), known);
  expect(minute).toMatchObject({
    kind: 'unproven',
    reason:
      'the list of orders, 2026-03-05T10:00 to 2026-03-05T10:01, was read 5 times in vain: the answers to start=0 and start=4 have ' +
      '2 orders in common, not their last and first one',
  });
  // Once in between, three requests whether `start` counts rows.
  expect(shop.requests).toBe(5 * 2 + 3);
  const longer = restless();
  const day = await readOne(longer, asked('2026-03-05T00:00', '2026-03-06T00:00'), known);
  expect(day).toMatchObject({ kind: 'cut', sample: [], total: undefined });
  expect(longer.requests).toBeLessThanOrEqual(4 + 3);
});

const HOURS = [
  '08:00',
  '09:00',
  '10:00',
  '11:00',
  '12:00',
  '13:00',
  '14:00',
  '15:00',
  '16:00',
  '17:00',
  '18:00',
];
const AROUND = ['2026-03-04T08:00', '2026-03-04T09:00', '2026-03-06T08:00', '2026-03-06T09:00'];
const BUSY = numbered([...AROUND, ...HOURS.map((time) => `2026-03-05T${time}`)].map(secondsOf));

/** Reads the day and a second time; the positions that were asked for then. */
async function readTwice(shop: FakeShop) {
  const deps = { ...pagingDeps(shop), known: knownAt(...AROUND) };
  const day = asked('2026-03-05T00:00', '2026-03-06T00:00');
  const first = await readWindow(deps, day);
  const { requests } = shop;
  const again = await readWindow(deps, day);
  const starts = new Set(shop.queries.slice(requests).map(({ start }) => start));
  return { first, again, starts: [...starts], isStartOdd: deps.book.isStartOdd };
}

test.each<FakeTraits>([{ startsAt: 'one' }, { startsAt: 'tens' }, { startsAt: 'pages', cap: 20 }])(
  'a shop that does not count positions from zero is read without them, once that is known: %j',
  async (traits) => {
    for (const sort of ['desc', 'asc', 'shuffled'] as const) {
      const { first, again, starts, isStartOdd } = await readTwice(new FakeShop(BUSY, { sort, ...traits }));
      expect(first).toMatchObject({ kind: 'whole', rows: { length: HOURS.length } });
      expect(again).toMatchObject({ kind: 'whole', rows: { length: HOURS.length } });
      expect({ starts, isStartOdd }).toEqual({ starts: [0], isStartOdd: true });
    }
  },
);

test('a list that moved twice is not taken for one whose positions do not count from zero', async () => {
  for (const cap of [4, Infinity]) {
    let id = 5000;
    const shop: FakeShop = new FakeShop(BUSY, {
      cap,
      before: ({ requests }) => {
        if (requests === 2 || requests === 4)
          shop.insert({ id: ++id, created: secondsOf('2026-03-06T08:30') });
      },
    });
    const { first, isStartOdd } = await readTwice(shop);
    expect({ kind: first.kind, isStartOdd }).toEqual({
      kind: cap === 4 ? 'cut' : 'whole',
      isStartOdd: undefined,
    });
  }
});

const AT_LAST = asked('2026-03-05T00:00', '2026-03-06T00:00', { lowest: local('2026-03-05T00:00') });

test('where orders are known to lie below, a list without a date there proves nothing as long as it shows none', async () => {
  const shop = new FakeShop(
    numbered(['2026-03-05T08:00', '2026-03-05T09:00', '2026-03-07T08:00'].map(secondsOf)),
  );
  expect(await readOne(shop, AT_LAST, knownAt('2026-03-07T08:00'))).toMatchObject({
    kind: 'whole',
    isOldest: true,
    rows: { length: 2 },
  });
  const reading = await readOne(shop, AT_LAST, knownAt('2026-02-01T08:00', '2026-03-07T08:00'));
  expect(reading.kind === 'whole' && windowText(reading.window)).toBe('2026-03-05T08:01 to 2026-03-06T00:00');
});

test('where this run was shown orders beyond an open end, a list that lacks them does not prove the end', async () => {
  const times = [
    '2026-03-04T08:00',
    ...HOURS.map((time) => `2026-03-05T${time}`),
    '2026-03-15T08:00',
    '2026-03-15T09:00',
  ];
  // Of a span from the fourth on, the list shows no more than a day.
  const orders = numbered(
    [...times, '2026-03-16T08:00', '2026-03-17T08:00', '2026-03-17T09:00'].map(secondsOf),
  );
  const shop = new FakeShop(orders, { mostDays: 2 });
  const deps = { ...pagingDeps(shop), known: knownAt() };
  const day = asked('2026-03-05T00:00', '2026-03-08T00:00', { padMinutes: 1440 });
  expect(await readWindow(deps, day)).toMatchObject({ kind: 'whole', rows: { length: HOURS.length } });
  delete deps.book.ends;
  await readWindow(deps, asked('2026-03-15T00:00', undefined));
  expect((await readWindow(deps, day)).kind).not.toBe('whole');
});

test('what fails for another reason than the filter ends the reading', async () => {
  const error = new UnavailableError('away');
  const listOrders = () => Promise.reject(error);
  expect(await rejection(readOne({ listOrders }, AT_LAST))).toBe(error);
});

test('within bounds, no more is asked for once both dates have come to them', async () => {
  const shop = new FakeShop(
    numbered(['2026-03-05T08:00', '2026-03-07T08:00', '2026-03-20T08:00'].map(secondsOf)),
  );
  const bounded = async (from: string | undefined, to: string) => {
    const bounds = { from: from === undefined ? undefined : local(from), to: local(to) };
    const deps = { ...pagingDeps(shop), known: knownAt() };
    const { requests } = shop;
    const { kind } = await readWindow(deps, { ...AT_LAST, lowest: local('2026-01-01'), bounds });
    return { kind, requests: shop.requests - requests };
  };
  expect(await bounded('2026-03-05T00:00', '2026-03-06T00:00')).toEqual({ kind: 'bounded', requests: 1 });
  expect(await bounded('2026-03-01T00:00', '2026-03-19T00:00')).toMatchObject({ kind: 'whole' });
});

/** Answers by whether any date was asked for; the last one again and again. */
function answering(undated: readonly (readonly number[])[], dated: readonly (readonly number[])[]) {
  let [asked1, asked2] = [0, 0];
  const listOrders = async ({ start = 0, dateFrom, dateTo }: OrdersQuery): Promise<OrdersPage> => {
    const isDated = (dateFrom ?? dateTo) !== undefined;
    const pages = isDated ? dated : undated;
    const ids = start > 0 ? [] : (pages[Math.min(isDated ? asked2++ : asked1++, pages.length - 1)] ?? []);
    const rows = ids.map((id) => ({
      orderId: String(id),
      raw: { order_id: id, created: '05.03.2026', time: '10:00' },
    }));
    return {
      rows,
      malformed: [],
      received: ids.length,
      keys: ids.map(String),
      isKeyed: false,
      total: undefined,
    };
  };
  return { listOrders };
}

test.each<[string, readonly (readonly number[])[], readonly (readonly number[])[], RegExp | undefined]>([
  ['comes again by dates', [[1]], [[1]], undefined],
  ['comes again without any, where dates find nothing', [[1]], [[]], undefined],
  ['is another one by dates', [[1]], [[2]], /read 5 times in vain/],
  [
    'is another one the next time',
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((id) => [id]),
    [[]],
    /read 5 times in vain/,
  ],
  ['does not come again', [[1], []], [[]], /the shop lists no orders at all/],
])('the only order of a list is all there is where it %s', async (_what, undated, dated, reason) => {
  const reading = await readOne(answering(undated, dated), asked(undefined, undefined));
  if (reason === undefined) expect(reading).toMatchObject({ kind: 'whole', rows: { length: 1 } });
  else expect(reading).toMatchObject({ kind: 'unproven', reason: expect.stringMatching(reason) });
});

test('where dates show more than the only order, the list without dates is known to be a part', async () => {
  const deps = { ...pagingDeps(answering([[1]], [[1, 2]])), known: knownAt() };
  expect((await readWindow(deps, asked(undefined, undefined))).kind).toBe('cut');
  expect(deps.book.profile.isUndatedPartial).toBe(true);
});

test('one date is enough for an only order not to be taken for the whole list', async () => {
  const shop = new FakeShop(ordersAt('10:00', '20:00'));
  const deps = { ...pagingDeps(shop), known: knownAt() };
  const until = asked(undefined, '2026-03-05T12:00');
  expect(await readWindow(deps, until)).toMatchObject({ kind: 'whole', rows: { length: 1 } });
  expect(deps.book.profile.isUndatedPartial).toBe(false);
});

test('two rows that keep coming where `start` is ignored may be hidden by a third; more of them are split', async () => {
  const known = knownAt('2026-03-04T08:00', '2026-03-06T09:00');
  const minutes = ['2026-03-05T10:00', '2026-03-05T10:01', '2026-03-05T10:02'];
  const readRows = (count: number) => {
    const shop = new FakeShop(numbered(minutes.slice(0, count).map(secondsOf)), { ignoresStart: true });
    return readOne(shop, AT_LAST, known);
  };
  expect(await readRows(2)).toMatchObject({
    kind: 'unproven',
    reason: expect.stringMatching(/read 5 times/),
  });
  expect(await readRows(3)).toMatchObject({ kind: 'cut', sample: { length: 3 } });
});

test('windows follow one another without a gap, down to the first day', async () => {
  const spread = numbered(
    Array.from({ length: 200 }, (_, index) => secondsOf('2026-02-20') + index * 14_000),
  );
  const { readings } = await readAll(new FakeShop(spread, { cap: 10 }), DAYS);
  expectTiled(readings, DAYS.from, DAYS.to);
});
