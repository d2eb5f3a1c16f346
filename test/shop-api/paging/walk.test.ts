import { expect, test } from 'vitest';

import type { OrdersPage } from '../../../src/shop-api/endpoints/list-orders.ts';
import { unknownProfile } from '../../../src/shop-api/paging/request-page.ts';
import { uncached } from '../../../src/shop-api/paging/reach.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { ascending, expectTiled, readAll } from './read-all.ts';
import { asked, knownAt, local, readOne } from './read-one.ts';

const numbered = (created: readonly number[]): readonly FakeOrder[] =>
  created.map((seconds, index) => ({ id: 1000 + index, created: seconds }));
const ordersAt = (...times: readonly string[]) =>
  numbered(times.map((time) => secondsOf(`2026-03-05T${time}`)));

const DAYS = { from: '2026-03-01', to: '2026-03-20' };

test('both dates are always sent, also of windows without an end, with other seconds each time', async () => {
  const shop = new FakeShop(ordersAt('08:00', '09:00', '10:00'), { dateEnds: 'both' });
  const known = knownAt('2026-03-05T08:00', '2026-03-05T09:00');
  const reading = await readOne(shop, asked('2026-03-05T09:30', undefined), known);
  expect(reading.kind === 'whole' && reading.rows.map(({ orderId }) => orderId)).toEqual(['1002']);
  for (const { dateFrom, dateTo } of shop.queries) expect(dateFrom && dateTo).toBeDefined();
  const at = (text: string) =>
    uncached({ from: local('2026-03-05T08:00'), to: local('2026-03-05T09:00') }, Temporal.Instant.from(text));
  const [one, other] = [at('2026-03-20T12:00:00.001Z'), at('2026-03-20T12:00:01.062Z')];
  expect([one.from, one.to].map(String)).toEqual(['2026-03-05T07:59:59', '2026-03-05T09:00:00']);
  expect(other).not.toEqual(one);
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
    reason: expect.stringMatching(/lists no orders at all; that is not trusted/),
    listed: 'nothing',
  });
  const page = { rows: [], malformed: [], received: 0, keys: [], isKeyed: false, total: undefined };
  const readPages = async (first: Partial<OrdersPage>) =>
    readOne(
      { listOrders: async ({ start = 0 }) => ({ ...page, ...(start === 0 && first) }) },
      asked(undefined, undefined),
    );
  expect(await readPages({ emptyForm: 'null' })).toMatchObject({
    reason: expect.stringMatching(/lists no orders at all, and answers with null;/),
  });
  const malformed = [{ created: '05.03.2026', time: '10:00' }];
  expect(await readPages({ malformed, received: 1, keys: ['x'] })).toMatchObject({
    reason: expect.stringMatching(/no element that the shop lists has a usable order_id and date;/),
    listed: 'unreadable',
  });
  const shop = new FakeShop(ordersAt('10:00'));
  expect(await readOne(shop, asked(undefined, undefined))).toMatchObject({
    kind: 'whole',
    rows: { length: 1 },
  });
  expect(shop.queries.map(({ start }) => start)).toEqual([0, 1, 1, 1, 0, 1, 0, 1]);
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
  { dateFrom: 'exclusive', dateTo: 'exclusive', datePrecision: 'minute' },
  { datePrecision: 'day' },
  { dateFrom: 'exclusive', dateTo: 'exclusive', datePrecision: 'day' },
  { filterHours: 11 },
  { filterHours: -11 },
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
  for (let empties = 1; empties <= 3; empties++) {
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
  expect(reading).toMatchObject({ kind: 'whole', isOldest: true });
  const newest = await readOne(
    shop,
    asked('2026-03-05T08:30', undefined, { lowest: asked('2026-03-01T00:00', undefined).window.from }),
  );
  expect(newest).toMatchObject({ kind: 'whole', isOldest: false, rows: { length: 1 } });
});

test('a minute that shifts for ever is given up after five walks, and longer ones are cut before', async () => {
  const restless = () => {
    let id = 5000;
    const seconds = Array.from({ length: 12 }, (_, second) => secondsOf('2026-03-05T10:00') + second);
    return new FakeShop(
      numbered([...seconds, secondsOf('2026-03-04T10:00'), secondsOf('2026-03-06T10:00')]),
      {
        cap: 5,
        before: (moving) => moving.insert({ id: ++id, created: secondsOf('2026-03-05T10:00:30') }),
      },
    );
  };
  const known = knownAt('2026-03-04T10:00', '2026-03-06T10:00', '2026-03-07T10:00');
  const shop = restless();
  const minute = await readOne(shop, asked('2026-03-05T10:00', '2026-03-05T10:01'), known);
  expect(minute).toMatchObject({
    kind: 'unproven',
    reason: expect.stringMatching(
      /^the orders of 2026-03-05T10:00 to 2026-03-05T10:01 cannot be proven complete: the answers to start=\d and start=\d have 2 orders in common/,
    ),
  });
  expect(shop.requests).toBeGreaterThanOrEqual(5 * 2);
  expect(shop.requests).toBeLessThanOrEqual(5 * 4);
  const longer = restless();
  const day = await readOne(longer, asked('2026-03-05T00:00', '2026-03-06T00:00'), known);
  expect(day).toMatchObject({ kind: 'split', cause: 'odd' });
  expect(longer.requests).toBeLessThanOrEqual(2 * 4);
});

test('what is odd beyond a window does not count against it', async () => {
  const shop = new FakeShop(
    numbered(
      [
        '2026-03-04T12:00',
        '2026-03-05T12:00',
        '2026-03-05T20:00',
        '2026-03-06T06:00',
        '2026-03-06T12:00',
      ].map(secondsOf),
    ),
    { listsTwice: 1004 },
  );
  const known = knownAt('2026-03-04T12:00', '2026-03-06T06:00', '2026-03-06T12:00');
  const reading = await readOne(shop, asked('2026-03-05T00:00', '2026-03-06T00:00'), known);
  expect(reading).toMatchObject({ kind: 'whole', rows: { length: 2 } });
});

test.each([
  ['2026-03-05T12:00', '2026-03-06T00:00', 30],
  ['2026-03-05T00:00', '2026-03-06T00:00', 30],
  ['2026-03-04T00:00', '2026-03-06T00:00', 10],
])('a window from %s to %s that takes more pages than %i is split at once', async (from, to, pages) => {
  const busy = Array.from({ length: 3000 }, (_, index) => secondsOf('2026-03-04T00:00') + index * 57);
  const shop = new FakeShop(numbered(busy), { cap: 20, mostRequests: pages });
  const reading = await readOne(shop, asked(from, to), knownAt());
  expect(reading).toMatchObject({ kind: 'split', cause: 'long' });
  expect(shop.requests).toBe(pages);
});

test('windows follow one another without a gap, down to the first day', async () => {
  const spread = numbered(
    Array.from({ length: 200 }, (_, index) => secondsOf('2026-02-20') + index * 14_000),
  );
  const { readings } = await readAll(new FakeShop(spread, { cap: 10 }), DAYS);
  expectTiled(readings, DAYS.from, DAYS.to);
});
