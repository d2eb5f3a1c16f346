import { expect, test } from 'vitest';

import {
  afterSplit,
  afterWhole,
  countMinutes,
  nextWindow,
  planRun,
  skipTo,
  type WindowPlan,
} from '../../../src/plan/windows/window-plan.ts';
import { EVER, type Window, windowText } from '../../../src/model/window.ts';

const time = (text: string) => Temporal.PlainDateTime.from(text);
const days = (from: string, to: string): Window => ({ from: time(from), to: time(to) });
const TODAY = Temporal.PlainDate.from('2026-03-10');
const REST: Window = { from: EVER.from, to: EVER.to };
const PAGE = 100;

const next = (plan: WindowPlan): Window => {
  const window = nextWindow(plan, PAGE);
  if (window === undefined) throw new Error('nothing is left');
  return window;
};
/** So many rows, newest first, some minutes apart, from a time down. */
const rowsDown = (from: string, count: number, apart = 1) =>
  Array.from({ length: count }, (_, index) => time(from).subtract({ minutes: index * apart }));

test('if nothing is known, the whole rest is requested at once', () => {
  expect(next(planRun(REST, [], TODAY))).toEqual(REST);
});

test('windows are sized by the counts of the ledger, in whole days', () => {
  const counted = Array.from({ length: 69 }, (_, index) => {
    return { day: time('2026-01-01').add({ days: index }).toPlainDate(), expected: 60 };
  });
  // Eight pages of a hundred rows, filled by four fifths, hold ten days.
  expect(windowText(next(planRun(REST, counted, TODAY)))).toBe('since 2026-03-01T00:00');
});

test('a window that is too large is split at its middle row, in half, or by the density of its rows', () => {
  const plan = planRun(REST, [], TODAY);
  const after = (created: readonly Temporal.PlainDateTime[]) =>
    windowText(next(afterSplit(plan, next(plan), created)));
  // A hundred orders of an hour each, the newest or the oldest ones.
  expect(after(rowsDown('2026-03-10T12:00', 100, 60).toReversed())).toBe('since 2026-03-09T00:00');
  expect(after(rowsDown('2026-01-05T00:00', 100, 60).toReversed())).toBe('since 2026-02-13T00:00');
  // From all times.
  expect(after(rowsDown('2026-03-10T12:00', 69, 1440).toReversed())).toBe('since 2026-02-05T00:00');
  expect(after([])).toBe('since 2015-08-07T00:00');
});

test('a day is read by one window unless it takes too many pages', () => {
  const plan = { ...planRun(days('2026-03-01', '2026-03-11'), [], TODAY), maxMinutes: 14_400 };
  expect(windowText(next({ ...plan, density: 2000 / 1440 }))).toBe('2026-03-10T00:00 to 2026-03-11T00:00');
  expect(windowText(next({ ...plan, density: 6340 / 1440 }))).toBe('2026-03-10T21:37 to 2026-03-11T00:00');
});

test('however often windows are split, each is smaller, down to a minute', () => {
  let plan = planRun(days('2026-03-09', '2026-03-11'), [], TODAY);
  const lengths: number[] = [];
  for (let splits = 0; splits < 40; splits++) {
    const window = next(plan);
    lengths.push(countMinutes(plan, window));
    if (lengths.at(-1) === 1) break;
    plan = afterSplit(plan, window, []);
  }
  expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
  expect(lengths.at(-1)).toBe(1);
});

test('a window that cannot be proven is skipped', () => {
  const plan = planRun(days('2026-03-01', '2026-03-11'), [], TODAY);
  expect(skipTo(plan, time('2026-03-10')).rest).toEqual(days('2026-03-01', '2026-03-10'));
  expect(nextWindow(skipTo(plan, time('2026-03-01')), PAGE)).toBeUndefined();
});

test('windows that were read whole follow one another down to the end, and an empty one does not stop that', () => {
  let plan = planRun(days('2026-03-01', '2026-03-11'), [], TODAY);
  plan = afterSplit(plan, next(plan), rowsDown('2026-03-10T12:00', 100).toReversed());
  let end = time('2026-03-11');
  for (let windows = 0; nextWindow(plan, PAGE) !== undefined; windows++) {
    expect(windows).toBeLessThan(50);
    const window = next(plan);
    expect(window.to).toEqual(end);
    plan = afterWhole(plan, window, windows % 3 === 0 ? 0 : 90);
    end = window.from;
  }
  expect(end).toEqual(time('2026-03-01'));
});

test('an open end is measured up to the last expected order, and a window is at least a minute long', () => {
  const plan = planRun(REST, [], TODAY);
  const minutes = (from: Temporal.PlainDateTime, to: Temporal.PlainDateTime) =>
    countMinutes(plan, { from, to });
  expect(minutes(EVER.from, EVER.to)).toBe(7739 * 1440);
  expect(minutes(EVER.from, time('2005-01-02'))).toBe(1440);
  expect(minutes(time('2026-03-10'), EVER.to)).toBe(1440);
  expect(minutes(time('2026-03-12'), EVER.to)).toBe(1);
  expect(minutes(EVER.from, time('2004-12-31'))).toBe(1);
});

test('days of unknown size are not expected to be empty', () => {
  const [known, unknown] = [time('2026-03-09').toPlainDate(), time('2026-03-10').toPlainDate()];
  const counts = [
    { day: known, expected: 0 },
    { day: unknown, expected: undefined },
  ];
  expect(planRun(REST, counts, TODAY).expected).toEqual(new Map([['2026-03-09', 0]]));
});
