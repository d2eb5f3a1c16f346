/** What the walk takes for proven where answers are few, odd or bounded. */
import { expect, test } from 'vitest';

import { UnavailableError } from '../../../src/model/errors.ts';
import type { OrdersPage, OrdersQuery } from '../../../src/shop-api/endpoints/list-orders.ts';
import { type PageProfile, unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { readWindow } from '../../../src/shop-api/paging/walk.ts';
import { windowText } from '../../../src/model/window.ts';
import { rejection } from '../api-of.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { asked, knownAt, local, pagingDeps, readOne } from './read-one.ts';

const numbered = (created: readonly number[]): readonly FakeOrder[] =>
  created.map((seconds, index) => ({ id: 1000 + index, created: seconds }));

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

/** Reads the day and a second time. */
async function readTwice(shop: FakeShop) {
  const deps = { ...pagingDeps(shop), known: knownAt(...AROUND) };
  const day = asked('2026-03-05T00:00', '2026-03-06T00:00');
  const first = await readWindow(deps, day);
  return { first, again: await readWindow(deps, day) };
}

test.each<FakeTraits>([{ startsAt: 'one' }, { startsAt: 'tens' }, { startsAt: 'pages', cap: 20 }])(
  'a shop that does not count positions from zero is not read, and the reason says what contradicts: %j',
  async (traits) => {
    for (const sort of ['desc', 'asc', 'shuffled'] as const) {
      const { first } = await readTwice(new FakeShop(BUSY, { sort, ...traits }));
      expect(first.kind).not.toBe('whole');
      expect(JSON.stringify(first)).toMatch(/the answers to start=.* in common/);
    }
  },
);

test('a list of one page that moved twice is read a third time, and a longer one split', async () => {
  for (const cap of [4, Infinity]) {
    let id = 5000;
    const shop: FakeShop = new FakeShop(BUSY, {
      cap,
      before: ({ requests }) => {
        if (requests === 2 || requests === 4)
          shop.insert({ id: ++id, created: secondsOf('2026-03-06T08:30') });
      },
    });
    const { first } = await readTwice(shop);
    expect(first.kind).toBe(cap === 4 ? 'cut' : 'whole');
  }
});

test('a list of which orders come and go while it is read is read again', async () => {
  const before = (shop: FakeShop) => {
    const created = secondsOf('2026-03-06T08:30');
    if ([2, 4].includes(shop.requests)) shop.insert({ id: 5000 + shop.requests, created });
    if (shop.requests === 5) for (const id of [5002, 5004]) shop.remove(id);
  };
  const { first, again } = await readTwice(new FakeShop(BUSY, { before }));
  expect([first, again]).toMatchObject([{ kind: 'whole' }, { kind: 'whole' }]);
});

test('of a window that no answer reached beyond, the times that were shown are told: it is split by them', async () => {
  const shop = new FakeShop(BUSY, { endsAt: 3, sort: 'asc' });
  const day = asked('2026-03-05T00:00', '2026-03-06T00:00');
  const reading = await readOne(shop, day, knownAt(...AROUND));
  expect(reading).toMatchObject({
    kind: 'cut',
    why: expect.stringContaining('no response of the shop reached'),
  });
  expect('sample' in reading && reading.sample.map(String)).toEqual(
    ['2026-03-04T08:00', '2026-03-04T09:00', '2026-03-05T08:00'].map((time) => `${time}:00`),
  );
});

test('of a window that takes too many pages, the total is told where it is known to count what matches', async () => {
  const start = secondsOf('2026-03-05T00:00');
  const many = numbered(Array.from({ length: 200 }, (_, index) => start + index * 400));
  const day = asked('2026-03-05T00:00', '2026-03-06T00:00');
  const totalAs = async (totalMeaning: PageProfile['totalMeaning']) => {
    const profile = { ...unknownProfile(500), totalMeaning };
    const reading = await readOne(
      new FakeShop([...many, ...BUSY], { cap: 2 }),
      day,
      knownAt(...AROUND),
      profile,
    );
    expect(reading.kind).toBe('cut');
    return 'total' in reading && reading.total;
  };
  expect(await totalAs('matches')).toBeGreaterThan(200);
  expect(await totalAs('other')).toBeUndefined();
});

test('it is told why a minute cannot be read whole', async () => {
  const minute = asked('2026-03-05T08:00', '2026-03-05T08:01');
  const many = numbered(
    Array.from({ length: 500 }, (_, index) => secondsOf('2026-03-05T08:00') + (index % 60)),
  );
  const why = async (traits: FakeTraits) => readOne(new FakeShop(many, traits), minute, knownAt(...AROUND));
  for (const [traits, reason] of [
    [{ cap: 2 }, 'more than 400 pages of orders lie in the minute, or around it; 2026-03-05T08:00'],
    [
      { cap: 20, ignoresStart: true },
      'the list of orders, 2026-03-05T08:00 to 2026-03-05T08:01, was read 5 times in vain: the shop ignores "start",',
    ],
  ] as const)
    expect(await why(traits)).toMatchObject({
      kind: 'unproven',
      reason: expect.stringMatching(`^${reason} .*cannot be read`),
    });
});

const AT_LAST = asked('2026-03-05T00:00', '2026-03-06T00:00', { lowest: local('2026-03-05T00:00') });

test('a day before which the list shows nothing is its first, also where stored orders lie below that the shop deleted', async () => {
  const shop = new FakeShop(
    numbered(['2026-03-05T08:00', '2026-03-05T09:00', '2026-03-07T08:00'].map(secondsOf)),
  );
  for (const known of [knownAt('2026-03-07T08:00'), knownAt('2026-02-01T08:00', '2026-03-07T08:00')]) {
    const reading = await readOne(shop, AT_LAST, known);
    expect(reading).toMatchObject({ kind: 'whole', isOldest: true, rows: { length: 2 } });
    expect(reading.kind === 'whole' && windowText(reading.window)).toBe(
      '2026-03-05T00:00 to 2026-03-06T00:00',
    );
  }
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
  const shop = new FakeShop(numbered(['2026-03-05T10:00', '2026-03-05T20:00'].map(secondsOf)));
  const deps = { ...pagingDeps(shop), known: knownAt() };
  const until = asked(undefined, '2026-03-05T12:00');
  expect(await readWindow(deps, until)).toMatchObject({ kind: 'whole', rows: { length: 1 } });
  expect(deps.book.profile.isUndatedPartial).toBe(false);
});

test('rows that keep coming where `start` is ignored may hide others, however few they are', async () => {
  const known = knownAt('2026-03-04T08:00', '2026-03-06T09:00');
  const minutes = ['2026-03-05T10:00', '2026-03-05T10:01', '2026-03-05T10:02'];
  for (const count of [2, 3]) {
    const shop = new FakeShop(numbered(minutes.slice(0, count).map(secondsOf)), { ignoresStart: true });
    const reason = expect.stringMatching(/read 5 times/);
    expect(await readOne(shop, AT_LAST, known)).toMatchObject({ kind: 'unproven', reason });
  }
});

test.each<[string, object]>([
  ['has no identifier', { created: '05.03.2026', time: '10:00' }],
  ['has no date', { order_id: 1, created: '00.00.0000' }],
])('a list of which no element can be used proves nothing: each %s', async (_what, element) => {
  for (const count of [1, 2]) {
    const elements = Array.from({ length: count }, (_, index) => ({ ...element, fio: index }));
    const listOrders = async ({ start = 0 }: OrdersQuery): Promise<OrdersPage> => {
      const raws = elements.slice(start);
      const isOrder = 'order_id' in element;
      return {
        rows: isOrder ? raws.map((raw) => ({ orderId: String(raw.fio), raw })) : [],
        malformed: isOrder ? [] : raws,
        received: raws.length,
        keys: raws.map(({ fio }) => String(fio)),
        isKeyed: false,
        total: undefined,
      };
    };
    expect(await readOne({ listOrders }, asked(undefined, undefined))).toMatchObject({
      kind: 'unproven',
      listed: 'unreadable',
      reason:
        'no element that the shop lists has a usable order_id and date; its response for all times is not trusted, and the days stay due',
    });
  }
});

test('an answer without orders is asked for twice, at each step', async () => {
  const shop = new FakeShop(numbered(['2025-11-01T12:00', '2026-05-01T12:00'].map(secondsOf)));
  const known = knownAt('2026-03-04T11:00', '2026-03-06T13:00');
  await readOne(shop, asked('2026-03-05T00:00', '2026-03-06T00:00'), known);
  const dates = shop.queries.flatMap(({ dateFrom, dateTo }) =>
    dateFrom && dateTo ? [[dateFrom, dateTo].join(' ')] : [],
  );
  expect(dates.slice(0, 4)).toEqual([
    '2026-03-04T10:59:00 2026-03-06T13:01:00',
    '2026-03-04T10:59:00 2026-03-06T13:01:00',
    '2026-03-02T10:59:00 2026-03-08T13:01:00',
    '2026-03-02T10:59:00 2026-03-08T13:01:00',
  ]);
});
