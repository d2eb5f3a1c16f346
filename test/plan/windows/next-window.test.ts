import { describe, expect, test } from 'vitest';

import { nextWindow } from '../../../src/plan/windows/next-window.ts';
import { planRun, type WindowPlan } from '../../../src/plan/windows/window-plan.ts';
import { EVER, type Window, windowText } from '../../../src/model/window.ts';

const DAY = 1440;
const time = (text: string) => Temporal.PlainDateTime.from(text);
const span = (from: string, to: string): Window => ({ from: time(from), to: time(to) });
const HORIZON = span('2026-01-01', '2026-03-11');
/** Eight pages of 101 rows, each but the first from the last row of the one before, hold 800. */
const PAGE = 101;
/** Rows that a window is planned to hold, where the ledger counted them, and where their density is a guess. */
const [COUNTED, GUESSED] = [720, 600];

type Changes = Partial<Omit<WindowPlan, 'expected'>> & {
  readonly expected?: Readonly<Record<string, number>>;
};

/** The next window of a plan up to 11 March; its end only where it is another. */
function next({ expected = {}, ...changes }: Changes, pageRows = PAGE): string | undefined {
  const base = planRun(span('2026-01-01', '2026-03-11'), [], HORIZON, true);
  const window = nextWindow({ ...base, ...changes, expected: new Map(Object.entries(expected)) }, pageRows);
  return window && windowText(window).replace(' to 2026-03-11T00:00', '');
}

describe('where only the density of the orders is known', () => {
  test.each([
    // A day that takes up to 24 pages is not split.
    { density: (24 * PAGE) / DAY, from: '2026-03-10T00:00' },
    { density: 2, from: '2026-03-10T19:00' },
    { density: GUESSED / 60, from: '2026-03-10T23:00' },
    { density: GUESSED, from: '2026-03-10T23:59' },
    { density: 100 * GUESSED, from: '2026-03-10T23:59' },
    // Whole days, where more than one fits.
    { density: GUESSED / (2 * DAY), from: '2026-03-09T00:00' },
    { density: GUESSED / (2.9 * DAY), from: '2026-03-09T00:00' },
    { density: 0, from: '2026-01-01T00:00' },
  ])('at $density rows per minute, the next begins at $from', ({ density, from }) => {
    expect(next({ density })).toBe(from);
  });

  test('the end of a day in its middle is read to its beginning, if that takes no more than 24 pages', () => {
    const rest = span('2026-01-01', '2026-03-10T10:30');
    expect(next({ rest, density: (24 * PAGE) / 630 })).toBe('2026-03-10T00:00 to 2026-03-10T10:30');
    expect(next({ rest, density: 4 })).toBe('2026-03-10T08:00 to 2026-03-10T10:30');
  });

  test('a page of one row, or of none, is a page', () => {
    expect([1, 0].map((rows) => next({ density: 0.75 }, rows))).toEqual([
      '2026-03-10T23:59',
      '2026-03-10T23:59',
    ]);
    expect(next({ density: 1 }, 20)).toBe('2026-03-10T22:06');
  });
});

describe('where the ledger counted the orders of days', () => {
  test.each([
    { name: 'days that just fit', counts: [COUNTED / 2, COUNTED / 2, 1], from: '2026-03-09' },
    { name: 'a day that alone is too much', counts: [COUNTED + 1, 1], from: '2026-03-10' },
    { name: 'a day, and one that would be too much', counts: [400, 400], from: '2026-03-10' },
    { name: 'empty days and a full one', counts: [0, 0, COUNTED, 1], from: '2026-03-08' },
  ])('the next window holds $name', ({ counts, from }) => {
    const days = counts.map((count, index): [string, number] => [
      time('2026-03-10').subtract({ days: index }).toPlainDate().toString(),
      count,
    ]);
    expect(next({ expected: Object.fromEntries(days) })).toBe(`${from}T00:00`);
  });

  test('a day of more rows than a window holds is planned by the density seen, else by its count', () => {
    const expected = { '2026-03-10': 28_800 };
    expect(next({ expected })).toBe('2026-03-10T23:30');
    expect(next({ expected, density: 10 })).toBe('2026-03-10T23:00');
    const afterBusy = (count: number) =>
      next({ expected: { '2026-03-10': 5, '2026-03-09': count }, density: 0 });
    expect(afterBusy(800), 'as many as it holds').toBe('2026-03-10T00:00');
    expect(afterBusy(801)).toBe('2026-01-01T00:00');
  });

  test('a part of a day is planned by the density seen, whole days before it by their counts', () => {
    const rest = span('2026-01-01', '2026-03-10T10:30');
    const expected = { '2026-03-10': 1, '2026-03-09': 350, '2026-03-08': 300, '2026-03-07': 10 };
    // A tenth of a window is in the morning, and 650 of 720 rows are in the next two days, which is too much.
    expect(next({ rest, expected, density: 0.1 })).toBe('2026-03-09T00:00 to 2026-03-10T10:30');
    expect(next({ rest, expected, density: 0.09 })).toBe('2026-03-08T00:00 to 2026-03-10T10:30');
    const busy = { '2026-03-10': 30_000 };
    expect(next({ rest, expected: busy, density: 10 })).toBe('2026-03-10T09:30 to 2026-03-10T10:30');
  });

  test('so is the part of a day with which the rest begins', () => {
    const rest = span('2026-03-08T12:00', '2026-03-11');
    const expected = { '2026-03-10': 350, '2026-03-09': 300, '2026-03-08': 700 };
    expect(next({ rest, expected, density: 0.05 })).toBe('2026-03-08T12:00');
    expect(next({ rest, expected, density: 0.5 })).toBe('2026-03-09T00:00');
  });

  test('a busy day is not split for its count, if it takes no more than 24 pages', () => {
    const split = { expected: { '2026-03-10': 24 * PAGE + 1 } };
    expect(next({ expected: { '2026-03-10': 24 * PAGE } })).toBe('2026-03-10T00:00');
    expect(next(split)).toBe('2026-03-10T18:04');
  });
});

describe('bounds', () => {
  test('no window is longer than it may be', () => {
    expect(next({ maxMinutes: 60 })).toBe('2026-03-10T23:00');
    expect(next({ maxMinutes: 60, density: 1 }), 'not even to read a day at once').toBe('2026-03-10T23:00');
    expect(next({ maxMinutes: 2 * DAY })).toBe('2026-03-09T00:00');
    expect(next({ maxMinutes: 2 * DAY + 60 }), 'begins with a midnight').toBe('2026-03-09T00:00');
  });

  test('an open end includes what lies beyond the expected orders, and has their length', () => {
    expect(next({ rest: EVER })).toBe('all times');
    expect(next({ rest: EVER, maxMinutes: DAY })).toBe('since 2026-03-10T00:00');
    const beyond = { rest: { from: time('2026-03-12'), to: EVER.to }, density: 1 };
    expect(next(beyond)).toBe('since 2026-03-12T00:00');
    expect(next({ rest: { from: EVER.from, to: time('2025-12-31') }, density: 1 })).toBe(
      'before 2025-12-31T00:00',
    );
  });

  test('nothing is left', () => {
    expect(next({ rest: span('2026-03-11', '2026-03-11') })).toBeUndefined();
    expect(next({ rest: span('2026-03-11', '2026-03-10') })).toBeUndefined();
  });
});
