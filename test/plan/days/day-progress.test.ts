import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  addWindow,
  dayBelow,
  type DayProgress,
  type ReadDay,
  type ReadWindow,
} from '../../../src/plan/days/day-progress.ts';
import { EVER } from '../../../src/model/window.ts';

const time = (text: string) => Temporal.PlainDateTime.from(text);
const noon = Temporal.Instant.from('2026-03-05T12:00:00Z');
const TODAY = Temporal.PlainDate.from('2026-03-05');
const NONE: DayProgress = new Map();
const NO_DAYS: ReadonlySet<string> = new Set();

/** A window that was read; without an end it is open there. */
function read(
  from: string | undefined,
  to: string | undefined,
  orders: Record<string, number> = {},
): ReadWindow {
  const window = { from: from ? time(from) : EVER.from, to: to ? time(to) : EVER.to };
  return {
    window,
    ordersByDay: new Map(Object.entries(orders)),
    isOldest: from === undefined,
    requestedAt: noon,
  };
}
const names = (days: readonly ReadDay[]) => days.map(({ day }) => day);
const wholeOf = (window: ReadWindow, asked: readonly string[] = [], today = TODAY) =>
  names(addWindow(NONE, window, new Set(asked), today).whole);

test.each([
  ['2026-03-01T00:00', '2026-03-02T00:00', ['2026-03-01'], []],
  ['2026-03-01T23:59', '2026-03-02T00:00', [], ['2026-03-01']],
  ['2026-03-01T23:59', '2026-03-02T00:01', [], ['2026-03-01', '2026-03-02']],
  ['2026-02-27T12:00', '2026-03-02T00:00', ['2026-02-28', '2026-03-01'], ['2026-02-27']],
  ['2025-12-31T00:00', '2026-01-01T12:00', ['2025-12-31'], ['2026-01-01']],
])(
  'the window from %s to %s completes its whole days, but not the day that begins at its end',
  (from, to, days, begun) => {
    const { whole, progress } = addWindow(NONE, read(from, to), NO_DAYS, TODAY);
    expect(names(whole)).toEqual(days);
    expect([...progress.keys()].toSorted()).toEqual(begun);
  },
);

test('a day is not whole while a minute of it is missing', () => {
  const almost = addWindow(NONE, read('2026-03-01T00:01', '2026-03-02T00:00'), NO_DAYS, TODAY);
  expect(almost).toMatchObject({ whole: [] });
  expect(almost.progress.get('2026-03-01')?.minutesLeft).toBe(1);
  const first = read('2026-03-01T00:00', '2026-03-01T00:01', { '2026-03-01': 2 });
  const whole = addWindow(almost.progress, first, NO_DAYS, TODAY);
  expect(whole).toEqual({
    progress: new Map(),
    whole: [{ day: '2026-03-01', orders: 2, verifiedAt: noon }],
  });
});

test('adding a window does not change earlier progress objects', () => {
  addWindow(NONE, read('2026-03-01T12:00', '2026-03-02T00:00'), NO_DAYS, TODAY);
  expect(NONE.size).toBe(0);
});

test('an open end covers its whole day and everything beyond', () => {
  expect(wholeOf(read('2026-03-04T00:00', undefined), ['2026-03-04', '2026-03-05'])).toEqual([
    '2026-03-04',
    '2026-03-05',
  ]);
  expect(wholeOf(read(undefined, '2026-03-02T00:00', { '2026-02-28': 1 }))).toEqual([
    '2026-02-28',
    '2026-03-01',
  ]);
});

test('days after today get no row, whatever orders they have', () => {
  const orders = { '2026-03-05': 1, '2026-03-06': 1, '2099-01-01': 1 };
  expect(wholeOf(read('2026-03-05T00:00', undefined, orders))).toEqual(['2026-03-05']);
});

test('up to a year of empty days between orders get rows; longer gaps are covered by the day after them', () => {
  const year = wholeOf(read(undefined, '2026-03-02T00:00', { '2025-02-27': 1 }));
  expect(year).toHaveLength(368);
  expect(year.slice(0, 2)).toEqual(['2025-02-27', '2025-02-28']);
  const longer = wholeOf(read(undefined, '2026-03-02T00:00', { '2025-02-26': 1 }));
  expect(longer).toEqual(['2025-02-26', '2026-03-01']);
});

test('one order of 1970 does not make a ledger of 20,000 days', () => {
  const days = wholeOf(read(undefined, undefined, { '1970-01-01': 1, '2026-03-01': 4 }), ['2026-03-05']);
  expect(days).toEqual(['1970-01-01', '2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05']);
});

test('requested days get rows even if empty, and so do the first and last day of a window', () => {
  expect(wholeOf(read('2010-01-01T00:00', '2026-03-02T00:00'), ['2012-05-01'])).toEqual([
    '2010-01-01',
    '2012-05-01',
    '2026-03-01',
  ]);
  const oldest = { ...read('2010-01-01T00:00', '2026-03-02T00:00'), isOldest: true };
  expect(wholeOf(oldest)).toEqual(['2026-03-01']);
});

const FIRST = time('2026-03-27T00:00');
const DAYS = 5;
const MINUTES = DAYS * 24 * 60;
/** Windows that together make up five days (a change of the clock among them) once, in any order of asking. */
const anySplit = fc
  .record({
    cuts: fc.uniqueArray(fc.integer({ min: 1, max: MINUTES - 1 }), { maxLength: 25 }),
    seed: fc.array(fc.nat(1_000), { minLength: 26, maxLength: 26 }),
    orders: fc.array(fc.nat(MINUTES - 1), { maxLength: 60 }),
    isInOrder: fc.boolean(),
  })
  .map(({ cuts, seed, orders, isInOrder }) => {
    const ends = [...cuts.toSorted((a, b) => a - b), MINUTES];
    const parts = ends.map((to, index) => ({ from: ends[index - 1] ?? 0, to, rank: seed[index] ?? 0 }));
    const order = isInOrder ? parts.toReversed() : parts.toSorted((a, b) => a.rank - b.rank);
    return { parts: order, orders };
  });

const dayOf = (minute: number) => FIRST.add({ minutes: minute }).toPlainDate().toString();
const countByDay = (minutes: readonly number[]) => {
  const counts = new Map<string, number>();
  for (const minute of minutes) counts.set(dayOf(minute), (counts.get(dayOf(minute)) ?? 0) + 1);
  return counts;
};

test('however days are split into windows, each is completed once, with all its orders, as of its earliest request', () => {
  fc.assert(
    fc.property(anySplit, ({ parts, orders }) => {
      const days = Array.from({ length: DAYS }, (_, index) => dayOf(index * 24 * 60));
      let progress = NONE;
      const whole: ReadDay[] = [];
      for (const { from, to, rank } of parts) {
        const window = { from: FIRST.add({ minutes: from }), to: FIRST.add({ minutes: to }) };
        const inside = orders.filter((minute) => minute >= from && minute < to);
        const requestedAt = noon.add({ seconds: rank });
        const added = addWindow(
          progress,
          { window, ordersByDay: countByDay(inside), isOldest: false, requestedAt },
          new Set(days),
          FIRST.toPlainDate().add({ days: DAYS }),
        );
        progress = added.progress;
        whole.push(...added.whole);
      }
      expect(progress.size).toBe(0);
      const counts = countByDay(orders);
      const expected = days.map((day, index) => {
        const touching = parts.filter(({ from, to }) => from < (index + 1) * 24 * 60 && to > index * 24 * 60);
        const earliest = Math.min(...touching.map(({ rank }) => rank));
        return {
          day,
          orders: counts.get(day) ?? 0,
          verifiedAt: noon.add({ seconds: earliest }),
        };
      });
      expect(whole.toSorted((a, b) => a.day.localeCompare(b.day))).toEqual(expected);
    }),
  );
});

test.each([
  ['2026-03-05T00:00', undefined, '2026-03-04'],
  ['2026-03-05T00:01', undefined, '2026-03-05'],
  ['2026-04-01T00:00', undefined, '2026-03-05'],
  ['2026-03-05T00:00', '2026-03-04', '2026-03-04'],
  ['2026-03-05T00:00', '2026-03-05', undefined],
  [undefined, undefined, undefined],
])(
  'below a window that begins at %s, in a history from %s, the next row of the ledger is %s',
  (from, historyFrom, day) => {
    const first = historyFrom === undefined ? undefined : Temporal.PlainDate.from(historyFrom);
    expect(dayBelow({ ...read(from, undefined), isOldest: false }, first, TODAY)?.toString()).toBe(day);
    expect(dayBelow({ ...read(from, undefined), isOldest: true }, first, TODAY)).toBe(undefined);
  },
);
