import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { type Asked, type Dates, NEAREST, type Reach } from '../../../src/shop-api/paging/asked-dates.ts';
import { shownTwice } from '../../../src/normalize/local-time.ts';
import { provenPart, provenSpan } from '../../../src/shop-api/paging/proven-span.ts';
import { maxPages, toWhole } from '../../../src/shop-api/paging/window-reading.ts';
import { EVER, isInWindow, type Window, windowText } from '../../../src/model/window.ts';
import { type PageProfile, unknownProfile } from '../../../src/shop-api/paging/page-profile.ts';
import { FakeShop, secondsOf } from './fake-shop.ts';
import { asked, knownAt, local, pagingDeps, readOne } from './read-one.ts';

const datesOf = (from?: string, to?: string): Dates => ({
  from: from === undefined ? undefined : local(from),
  to: to === undefined ? undefined : local(to),
});
const span = (asked: Dates, ...created: readonly string[]) => {
  const proven = provenSpan(asked, created.map(local));
  return proven && windowText(proven);
};
const BOTH = datesOf('2026-03-01T00:00', '2026-03-02T00:00');

test('what lies between the oldest and the newest row is proven, without their own minutes', () => {
  expect(span(BOTH, '2026-03-01T08:00', '2026-03-01T20:00', '2026-03-01T12:00')).toBe(
    '2026-03-01T08:01 to 2026-03-01T20:00',
  );
});

test('the rows tell what is proven, not the dates that were asked for: the shop may count in another zone', () => {
  expect(span(BOTH, '2026-02-28T21:00', '2026-03-01T21:00')).toBe('2026-02-28T21:01 to 2026-03-01T21:00');
});

test.each([
  ['no row', []],
  ['one row', ['2026-03-01T08:00']],
  ['two rows of one minute', ['2026-03-01T08:00', '2026-03-01T08:00']],
  ['two rows of neighbouring minutes', ['2026-03-01T08:00', '2026-03-01T08:01']],
])('%s, with both dates, proves nothing', (_what, created) => {
  expect(span(BOTH, ...created)).toBeUndefined();
});

test('a row that is more than two days off shows another time than it is filtered by, and proves nothing', () => {
  const rows = ['2026-02-27T00:02', '2026-03-01T08:00', '2026-03-01T20:00', '2026-03-03T23:59'];
  expect(span(BOTH, ...rows)).toBe('2026-02-27T00:03 to 2026-03-03T23:59');
  expect(span(BOTH, '2026-02-26T23:59', ...rows.slice(1, 3), '2026-03-04T00:00')).toBe(
    '2026-03-01T08:01 to 2026-03-01T20:00',
  );
});

test('an end that was not asked for is open', () => {
  const rows = ['2026-03-01T08:00', '2026-03-01T20:00'];
  expect(span(datesOf('2026-03-01T00:00'), ...rows)).toBe('since 2026-03-01T08:01');
  expect(span(datesOf(undefined, '2026-03-02T00:00'), ...rows)).toBe('before 2026-03-01T20:00');
  expect(span(datesOf(), ...rows)).toBe('all times');
});

test('of one row an open end proves nothing, except that no date at all was asked for', () => {
  expect(span(datesOf('2026-03-01T00:00'), '2026-03-01T08:00')).toBeUndefined();
  expect(span(datesOf(undefined, '2026-03-02T00:00'), '2026-03-01T08:00')).toBeUndefined();
  expect(span(datesOf(), '2026-03-01T08:00')).toBe('all times');
  expect(span(datesOf())).toBeUndefined();
});

test('within an hour that the clocks show twice, rows prove nothing', () => {
  const shop = { timezone: 'Europe/Berlin' };
  const proven = (...created: readonly string[]) => {
    const asked = datesOf('2026-10-24T00:00', '2026-10-26T00:00');
    const found = provenSpan(asked, created.map(local), (time) => shownTwice(time, shop));
    return found && windowText(found);
  };
  expect(proven('2026-10-25T00:10', '2026-10-25T02:30')).toBe('2026-10-25T00:11 to 2026-10-25T02:00');
  expect(proven('2026-10-25T02:30', '2026-10-25T05:00')).toBe('2026-10-25T03:00 to 2026-10-25T05:00');
  expect(proven('2026-10-25T02:10', '2026-10-25T02:50')).toBeUndefined();
});

/** A window, the filter that the shop makes of the dates, and orders. */
const minute = fc
  .integer({ min: 0, max: 5 * 1440 })
  .map((minutes) => local('2026-03-01T00:00').add({ minutes }));
const filters = fc.record({ shift: fc.integer({ min: -1440, max: 1440 }), isInclusive: fc.boolean() });

test('whatever the ends of a filter mean, every order of what is proven came with the answer', () => {
  fc.assert(
    fc.property(fc.array(minute, { maxLength: 30 }), minute, minute, filters, (orders, a, b, filter) => {
      const asked = { from: a, to: b };
      const compare = (time: Temporal.PlainDateTime, other: Temporal.PlainDateTime) =>
        Temporal.PlainDateTime.compare(time.add({ minutes: filter.shift }), other);
      // Of the rows of one minute a filter by seconds may take a part.
      const matching = orders.filter((time, index) => {
        const [lower, upper] = [compare(time, a), compare(time, b)];
        const isEdge = lower === 0 || upper === 0;
        return lower >= 0 && upper <= 0 && (!isEdge || (filter.isInclusive && index % 2 === 0));
      });
      const proven = provenSpan(asked, matching);
      if (proven === undefined) return;
      const own = orders.filter((time) => isInWindow(proven, time));
      expect(matching.filter((time) => isInWindow(proven, time))).toHaveLength(own.length);
    }),
  );
});

const window = (from: string, to: string): Window => ({ from: local(from), to: local(to) });
const DAYS = window('2026-03-01T00:00', '2026-03-04T00:00');
/** By default with a row at the end of the window. */
const part = (proven: Window | undefined, of = DAYS, last = '2026-03-03T23:00') => {
  const result = provenPart(of, proven, [local('2026-03-01T00:00'), local(last)]);
  return 'from' in result ? windowText(result) : result;
};

test('a window is proven whole where it lies within what is proven', () => {
  expect(part(window('2026-02-28T23:59', '2026-03-04T00:00'))).toBe(windowText(DAYS));
  expect(part(EVER)).toBe(windowText(DAYS));
  expect(part(EVER, EVER)).toBe('all times');
  const partOfDay = window('2026-03-01T10:00', '2026-03-04T00:00');
  expect(part(EVER, partOfDay)).toBe(windowText(partOfDay));
});

test('of a window that is not reached below its newer part is taken, from a midnight where there is one', () => {
  expect(part(window('2026-03-01T00:01', '2026-03-05T00:00'))).toBe('2026-03-02T00:00 to 2026-03-04T00:00');
  expect(part(window('2026-03-02T00:00', '2026-03-05T00:00'))).toBe('2026-03-02T00:00 to 2026-03-04T00:00');
  expect(part(window('2026-03-03T08:00', '2026-03-05T00:00'))).toBe('2026-03-03T08:00 to 2026-03-04T00:00');
});

test('a midnight after which no order lies would leave all of them to be read again', () => {
  const since = window('2026-03-01T00:01', '2026-03-05T00:00');
  expect(part(since, DAYS, '2026-03-02T00:00')).toBe('2026-03-02T00:00 to 2026-03-04T00:00');
  for (const last of ['2026-03-01T23:59', '2026-03-04T00:00'])
    expect(part(since, DAYS, last)).toBe('2026-03-01T00:01 to 2026-03-04T00:00');
});

test('without its upper end nothing of a window is taken, and the sides that are missing are told', () => {
  expect(part(window('2026-02-01T00:00', '2026-03-03T23:59'))).toEqual({ below: false, above: true });
  expect(part(window('2026-03-01T00:01', '2026-03-03T23:59'))).toEqual({ below: true, above: true });
  expect(part(window('2026-03-04T00:00', '2026-03-05T00:00'))).toEqual({ below: true, above: false });
  expect(part(undefined)).toEqual({ below: true, above: true });
});

test('an answer may take as many pages as it cannot be split into smaller ones', () => {
  const pages = (minutes: number) => maxPages({ ...MINUTE, minutes }, BOTH, NEAREST);
  expect([1, 2, 1439, 1440, 1441].map(pages)).toEqual([400, 100, 100, 30, 10]);
});

const MINUTE = asked('2026-03-01T08:00', '2026-03-01T08:01');
const UNTIL = { ...asked(undefined, '2026-03-01T08:01'), minutes: 1 };
const SINCE = { ...asked('2026-03-01T08:00', undefined), minutes: 1 };

test.each<[string, Asked, Dates, Reach, number]>([
  ['open below', MINUTE, datesOf(undefined, '2026-03-02'), { below: 1, above: 0 }, 10],
  ['open above', MINUTE, datesOf('2026-02-01'), { below: 0, above: 1 }, 10],
  ['open below, as nothing is known there', MINUTE, datesOf(undefined, '2026-03-02'), NEAREST, 400],
  ['open above, as nothing is known there', MINUTE, datesOf('2026-02-01'), NEAREST, 400],
  [
    'open below, where only the other end was set farther',
    MINUTE,
    datesOf(undefined, '2026-03-02'),
    { below: 0, above: 1 },
    400,
  ],
  [
    'open above, where only the other end was set farther',
    MINUTE,
    datesOf('2026-02-01'),
    { below: 1, above: 0 },
    400,
  ],
  ['closed', MINUTE, datesOf('2026-02-01', '2026-03-02'), { below: 3, above: 3 }, 400],
  ['open below as the window is', UNTIL, datesOf(undefined, '2026-03-02'), { below: 1, above: 0 }, 400],
  ['open above as the window is', SINCE, datesOf('2026-02-01'), { below: 0, above: 1 }, 400],
])(
  'few pages of an answer are read that was opened to look where orders lie: %s',
  (_what, of, dates, reach, most) => {
    expect(maxPages(of, dates, reach)).toBe(most);
  },
);

test('an element without a place lies between the rows beside it, where the list is in the order of time', () => {
  const rowAt = (orderId: string, time: string) => ({ orderId, raw: { created: '05.03.2026', time } });
  const placeIn = (...rows: readonly ReturnType<typeof rowAt>[]) => {
    const [before, after] = rows;
    const askedAt = Temporal.Instant.from('2026-03-20T12:00:00Z');
    const seen = {
      rows,
      malformed: ['?'],
      isUndated: false,
      total: undefined,
      askedAt,
      pages: 1,
    };
    const list = { ...seen, unplaced: [{ before, after }], verdict: 'complete' } as const;
    const { unplaced = [] } = toWhole(pagingDeps(new FakeShop([])), EVER, EVER.from, datesOf(), list);
    return unplaced.map(({ from, to }) => [from, to].map((time) => time?.toString().slice(11, 16)));
  };
  const [ten, eleven, noon] = [rowAt('1', '10:00'), rowAt('2', '11:00'), rowAt('3', '12:00')];
  expect(placeIn(ten, eleven, noon)).toEqual([['10:00', '11:00']]);
  expect(placeIn(noon, eleven, ten)).toEqual([['11:00', '12:00']]);
  expect(placeIn(eleven, noon, ten)).toEqual([[undefined, undefined]]);
});

test('of a window that is too long, the total tells how long it is, unless the shop counts something else by it', async () => {
  const minutes = Array.from({ length: 300 }, (_, index) => ({
    id: index + 1,
    created: secondsOf('2026-03-05T08:00') + index * 60,
  }));
  const totalBy = async (totalMeaning: PageProfile['totalMeaning']) => {
    const shop = new FakeShop(minutes, { cap: 10, total: 'matches' });
    const profile = { ...unknownProfile(10), totalMeaning };
    const day = asked('2026-03-05T00:00', '2026-03-06T00:00');
    const reading = await readOne(shop, day, knownAt(), profile);
    return reading.kind === 'cut' ? { total: reading.total } : reading.kind;
  };
  expect(await totalBy('matches')).toEqual({ total: 300 });
  expect(await totalBy('unknown')).toEqual({ total: 300 });
  expect(await totalBy('other')).toEqual({ total: undefined });
});
