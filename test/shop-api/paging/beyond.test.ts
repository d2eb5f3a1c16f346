/** What is believed of a list by the order of its rows, and what lies beyond a window. */
import { expect, test } from 'vitest';

import { proveWindow } from '../../../src/shop-api/paging/prove.ts';
import { type FakeOrder, FakeShop, type FakeTraits, secondsOf } from './fake-shop.ts';
import { asked, knownAt, local, pagingDeps, readOne } from './read-one.ts';

const numbered = (created: readonly number[]): readonly FakeOrder[] =>
  created.map((seconds, index) => ({ id: 1000 + index, created: seconds }));
const steps = (from: string, count: number, minutes: number) =>
  Array.from({ length: count }, (_, index) => secondsOf(from) + index * minutes * 60);

test('a list in no order of time that may be cut is not believed, unless the shop shows a longer one', async () => {
  const of = (from: string, count: number) => steps(from, count, 20);
  const days = [...of('2026-03-05T00:00', 72), ...of('2026-03-04T12:00', 3), ...of('2026-03-06T12:00', 3)];
  const known = knownAt('2026-03-04T12:00', '2026-03-04T12:20', '2026-03-06T12:00', '2026-03-06T12:20');
  const read = async (created: readonly number[], traits: FakeTraits, end = Infinity) => {
    const shop = new FakeShop(numbered(created), { listOrder: 'shuffled', ...traits });
    const listOrders: typeof shop.listOrders = async ({ start = 0, ...query }) =>
      shop.listOrders({ ...query, start: start < end ? start : 0 });
    const deps = { ...pagingDeps({ listOrders }), witnesses: known };
    const few = await proveWindow(deps, asked('2026-03-06T12:10', '2026-03-06T12:50'));
    expect(few).toMatchObject({ kind: 'whole', rows: { length: 2 } });
    return proveWindow(deps, asked('2026-03-05T00:00', '2026-03-06T00:00'));
  };
  const cut = {
    kind: 'split',
    cause: 'long',
    why: expect.stringMatching(/not sorted by time and may be cut/),
  };
  const more = [...days, ...of('2026-01-01T00:00', 300)];
  expect(await read(days, {})).toMatchObject(cut);
  // A position behind the end may be taken for the first one.
  expect(await read(days, {}, days.length)).toMatchObject(cut);
  // Were it that only the orders of a day are in none.
  const [first = 0, ...day] = of('2026-03-05T06:00', 50);
  const byDay = [...of('2026-03-04T12:00', 3), ...day, first, ...of('2026-03-06T12:00', 3)];
  expect(await read(byDay, { listOrder: 'id-desc' })).toMatchObject(cut);
  expect(await read(more, { reach: 76 })).toMatchObject(cut);
  expect(await read(more, {})).toMatchObject({ kind: 'whole', rows: { length: 72 } });
});

test.each<[string, FakeTraits]>([
  ['is cut at a number of rows', { listOrder: 'asc', reach: 60 }],
  ['spans a day at most', { listOrder: 'desc', mostDays: 1 }],
])('of a list that %s, what it does not show above is asked for', async (_what, traits) => {
  const shop = new FakeShop(numbered(steps('2026-03-09T12:00', 400, 15)), traits);
  const known = knownAt('2026-03-09T23:30', '2026-03-09T23:45');
  const reading = await readOne(shop, asked('2026-03-10T00:00', '2026-03-12T00:00'), known);
  expect(reading).toMatchObject({ kind: 'whole', rows: { length: 192 } });
});

test('an order that shows a time at which it is not listed makes a list odd', async () => {
  const created = ['2026-03-09T10:00', '2026-03-08T10:00', '2026-03-12T10:00', '2026-03-13T10:00'].map(
    secondsOf,
  );
  const [first, ...others] = numbered(created);
  const shown = secondsOf('2026-03-05T02:00');
  const shop = new FakeShop([...(first ? [{ ...first, shown }] : []), ...others]);
  expect(await readOne(shop, asked('2026-03-05T00:00', '2026-03-10T00:00'))).toMatchObject({
    kind: 'split',
    cause: 'odd',
    why: 'order 1000 is not listed by when it was placed',
  });
});

test('an order without a time of day may stand anywhere in its day', async () => {
  const orders = numbered(steps('2026-03-09T00:30', 72, 60)).map((order, index) =>
    index === 40 ? { ...order, shown: secondsOf('2026-03-10T00:00') } : order,
  );
  const known = knownAt('2026-03-09T22:30', '2026-03-09T23:30');
  const reading = await readOne(new FakeShop(orders), asked('2026-03-10T00:00', '2026-03-11T00:00'), known);
  expect(reading).toMatchObject({ kind: 'whole', rows: { length: 24 } });
});

test('a quiet sweep of the newest days takes two requests, of a list that begins with the newest order', async () => {
  const hourly = steps('2026-03-18T00:00', 60, 60);
  const known = knownAt('2026-03-18T22:00', '2026-03-18T23:00');
  const today = asked('2026-03-19T00:00', undefined, { lowest: local('2026-03-19T00:00') });
  for (const [listOrder, requests] of [
    ['desc', 2],
    ['asc', 3],
  ] as const) {
    const shop = new FakeShop(numbered(hourly), { listOrder });
    expect(await readOne(shop, today, known)).toMatchObject({ kind: 'whole', rows: { length: 36 } });
    expect([listOrder, shop.requests]).toEqual([listOrder, requests]);
  }
});
