import { describe, expect, test } from 'vitest';

import { afterCut, afterUnproven, afterWhole } from '../../../src/plan/windows/after-window.ts';
import { nextWindow } from '../../../src/plan/windows/next-window.ts';
import { chart, measureWindow, planRun, type WindowPlan } from '../../../src/plan/windows/window-plan.ts';
import { EVER, type Window, windowText } from '../../../src/model/window.ts';

const time = (text: string) => Temporal.PlainDateTime.from(text);
const days = (from: string, to: string): Window => ({ from: time(from), to: time(to) });
const HORIZON = days('2026-01-01', '2026-03-11');
const REST: Window = { from: EVER.from, to: EVER.to };
const PAGE = 100;

const next = (plan: WindowPlan): Window => {
  const window = nextWindow(plan, PAGE);
  if (window === undefined) throw new Error('nothing is left');
  return window;
};
/** So many rows, newest first, a minute apart, from a time down. */
const rowsDown = (from: string, count: number) =>
  Array.from({ length: count }, (_, minutes) => time(from).subtract({ minutes }));

test('where nothing is known, the whole rest is asked for at once', () => {
  expect(next(planRun(REST, [], HORIZON, true))).toEqual(REST);
});

test('what the ledger counted sizes the windows, in whole days', () => {
  const counted = Array.from({ length: 69 }, (_, index) => {
    return { day: time('2026-01-01').add({ days: index }).toPlainDate(), expected: 60 };
  });
  const plan = planRun(REST, counted, HORIZON, true);
  // Eight pages of a hundred rows hold eleven days, filled by nine tenths.
  expect(windowText(next(plan))).toBe('since 2026-02-28T00:00');
});

test('of a history of which nothing is known, the newest page sizes the window: no shorter than a day', () => {
  const plan = planRun(REST, [], HORIZON, false);
  const cut = (sample: readonly Temporal.PlainDateTime[]) => next(afterCut(plan, next(plan), sample, 5_000));
  expect(windowText(cut(rowsDown('2026-03-10T12:00', 100)))).toBe('since 2026-03-10T00:00');
  const hourly = Array.from({ length: 100 }, (_, hours) => time('2026-03-10T12:00').subtract({ hours }));
  // A hundred hours before the end of the horizon, from the next midnight on.
  expect(windowText(cut(hourly))).toBe('since 2026-03-07T00:00');
  // A list from the oldest order on tells nothing of the newest.
  const oldestFirst = next(afterCut(plan, next(plan), hourly.toReversed(), 5_000));
  expect(windowText(oldestFirst)).not.toBe('since 2026-03-07T00:00');
});

describe('of a history of which nothing is known, the newest orders size the next window', () => {
  const plan = planRun(REST, [], { ...HORIZON, from: time('2005-01-01') }, false);
  const hourly = Array.from({ length: 100 }, (_, hours) => time('2026-03-10T12:00').subtract({ hours }));
  const oldest = Array.from({ length: 100 }, (_, hours) => time('2025-06-01').add({ hours }));

  test('where the list begins with them, no more is known of where it ends', () => {
    const charted = chart(plan, hourly, 5_000, hourly);
    expect(charted).toEqual({ ...plan, horizon: { ...plan.horizon, to: time('2026-03-10T12:01') } });
  });

  test('where it begins with the oldest ones', () => {
    const charted = chart(plan, oldest, 5_000, hourly.toReversed());
    expect(charted.density).toBe(100 / (99 * 60 + 1));
    expect(charted.horizon).toEqual({ from: time('2025-06-01'), to: time('2026-03-10T12:01') });
  });

  test('and the number of all orders does, where that is more or a few rows are all that is known', () => {
    const { minutes } = measureWindow(plan, { from: time('2025-06-01'), to: time('2026-03-10T12:01') });
    const latest = hourly.slice(0, 3);
    expect(chart(plan, oldest, 5_000, latest).density).toBe(5_000 / minutes);
    expect(chart(plan, oldest, 500_000, hourly).density).toBe(500_000 / minutes);
    expect(chart(plan, oldest, undefined, latest).density).toBe(100 / minutes);
  });
});

test('however often windows are cut, each is smaller, down to a minute', () => {
  let plan = planRun(days('2026-03-09', '2026-03-11'), [], HORIZON, true);
  const lengths: number[] = [];
  for (let cuts = 0; cuts < 40; cuts++) {
    const window = next(plan);
    const minutes = window.from.until(window.to).total({ unit: 'minutes', relativeTo: window.from });
    lengths.push(minutes);
    if (minutes === 1) break;
    plan = afterCut(plan, window, [], undefined);
  }
  expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
  expect(lengths.at(-1)).toBe(1);
});

test('a window that could not be proven is passed over with its oldest day', () => {
  const plan = planRun(days('2026-03-01', '2026-03-11'), [], HORIZON, true);
  const passed = afterUnproven(plan, days('2026-03-10T12:34', '2026-03-10T12:35'));
  expect(passed.rest).toEqual(days('2026-03-01', '2026-03-10'));
  expect(nextWindow(afterUnproven(plan, days('2026-03-01T08:00', '2026-03-11')), PAGE)).toBeUndefined();
});

test('windows that were read whole follow one another down to the end, and an empty one does not stop that', () => {
  let plan = planRun(days('2026-03-01', '2026-03-11'), [], HORIZON, true);
  plan = afterCut(plan, next(plan), rowsDown('2026-03-10T12:00', 100), 900);
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

test.each([
  { density: undefined, padMinutes: 1 },
  { density: 0, padMinutes: 1 },
  { density: 8, padMinutes: 1 },
  { density: 0.3, padMinutes: 14 },
  { density: 4 / 2880, padMinutes: 2880 },
  { density: 0.0001, padMinutes: 2880 },
])(
  'at $density rows per minute, an answer that reaches $padMinutes minutes further holds four more orders',
  (given) => {
    const plan = { ...planRun(REST, [], HORIZON, true), density: given.density };
    expect(measureWindow(plan, days('2026-03-01', '2026-03-02'))).toEqual({
      minutes: 1440,
      padMinutes: given.padMinutes,
    });
  },
);

test('an open end is measured to where orders are to be expected, and a window is a minute long at least', () => {
  const plan = planRun(REST, [], HORIZON, true);
  const minutes = (from: Temporal.PlainDateTime, to: Temporal.PlainDateTime) =>
    measureWindow(plan, { from, to }).minutes;
  expect(minutes(EVER.from, EVER.to)).toBe(69 * 1440);
  expect(minutes(EVER.from, time('2026-01-02'))).toBe(1440);
  expect(minutes(time('2026-03-10'), EVER.to)).toBe(1440);
  expect(minutes(time('2026-03-12'), EVER.to)).toBe(1);
  expect(minutes(EVER.from, time('2025-12-31'))).toBe(1);
});

test('days of unknown size are not expected to be empty', () => {
  const [known, unknown] = [time('2026-03-09').toPlainDate(), time('2026-03-10').toPlainDate()];
  const counts = [
    { day: known, expected: 0 },
    { day: unknown, expected: undefined },
  ];
  expect(planRun(REST, counts, HORIZON, true).expected).toEqual(new Map([['2026-03-09', 0]]));
});
