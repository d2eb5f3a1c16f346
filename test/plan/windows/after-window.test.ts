import { describe, expect, test } from 'vitest';

import {
  afterCut,
  afterFault,
  afterGap,
  afterUnproven,
  afterWhole,
} from '../../../src/plan/windows/after-window.ts';
import { countMinutes, planRun, type WindowPlan } from '../../../src/plan/windows/window-plan.ts';
import { EVER, type Window } from '../../../src/model/window.ts';

const DAY = 1440;
const time = (text: string) => Temporal.PlainDateTime.from(text);
const span = (from: string, to: string): Window => ({ from: time(from), to: time(to) });
const HORIZON = span('2026-01-01', '2026-03-11');
const plan = (changes: Partial<WindowPlan> = {}): WindowPlan => ({
  ...planRun(span('2026-01-01', '2026-03-11'), [], HORIZON, true),
  ...changes,
});
/** So many rows, newest first, so many minutes apart, from a time down. */
const rowsDown = (from: string, count: number, apart = 1) =>
  Array.from({ length: count }, (_, index) => time(from).subtract({ minutes: index * apart }));

describe('after a window that was read whole', () => {
  const hour = span('2026-03-10T23:00', '2026-03-11');
  const minute = span('2026-03-10T23:59', '2026-03-11');

  test('what is older is left, and the window tells how dense the orders are', () => {
    const after = afterWhole(plan(), hour, 30);
    expect(after.rest).toEqual(span('2026-01-01', '2026-03-10T23:00'));
    expect(after.density).toBe(0.5);
  });

  test('a crowded minute does not make the orders denser than they were', () => {
    const densities = [undefined, 2, 9].map((density) => afterWhole(plan({ density }), minute, 5).density);
    expect(densities).toEqual([5, 2, 5]);
    expect(afterWhole(plan({ density: 9 }), span('2026-03-10T23:58', '2026-03-11'), 4).density).toBe(2);
  });

  test.each([
    { name: 'six times as long', window: span('2026-03-10', '2026-03-11'), rows: 9, minutes: 6 * DAY },
    { name: 'a day', window: hour, rows: 9, minutes: DAY },
    { name: 'as long as you like after an empty one', window: hour, rows: 0, minutes: Infinity },
  ])('the next may be $name', ({ window, rows, minutes }) => {
    expect(afterWhole(plan({ maxMinutes: 1 }), window, rows).maxMinutes).toBe(minutes);
    const faulty = plan({ maxMinutes: 1, servedMinutes: 90 });
    expect(afterWhole(faulty, window, rows).maxMinutes, 'but no longer than the shop serves').toBe(90);
  });

  test.each([
    [90, 180],
    [DAY - 1, DAY],
    [2 * DAY, 2 * DAY],
    [Infinity, Infinity],
  ])('windows of more than %s minutes, at which the shop failed, are tried up to %s', (before, after) => {
    expect(afterWhole(plan({ servedMinutes: before }), hour, 9).servedMinutes).toBe(after);
  });
});

describe('after a window that did not fit', () => {
  const window = span('2026-03-01', '2026-03-11');
  const minutes = 10 * DAY;

  test.each([
    { sample: 99, total: undefined, rows: 100 },
    { sample: 99, total: 50, rows: 100 },
    { sample: 99, total: 720, rows: 720 },
  ])('$sample rows came, of $total: it holds at least $rows', ({ sample, total, rows }) => {
    const after = afterCut(plan(), window, rowsDown('2026-03-10T12:00', sample), total);
    expect(after.density).toBe(rows / minutes);
    expect(after.rest).toEqual(plan().rest);
  });

  test('the next is at most half as long, and shorter where the list moved', () => {
    const next = (of: Window, sample: number) =>
      afterCut(plan(), of, rowsDown('2026-03-10T12:00', sample), 999).maxMinutes;
    expect([next(window, 9), next(window, 0)]).toEqual([minutes / 2, minutes / 2]);
    const long = span('2026-01-10', '2026-03-11');
    expect([next(long, 9), next(long, 0)]).toEqual([30 * DAY, 16 * DAY]);
    expect(next(span('2026-03-10T23:57', '2026-03-11'), 9)).toBe(1);
    expect(next(span('2026-03-10T23:59', '2026-03-11'), 9)).toBe(1);
  });

  test('the ledger is not believed for its days, only for older ones', () => {
    const expected = new Map([
      ['2026-02-28', 5],
      ['2026-03-01', 6],
      ['2026-03-05', 7],
    ]);
    expect(afterCut(plan({ expected }), window, [], 999).expected).toEqual(new Map([['2026-02-28', 5]]));
    const uncharted = plan({ expected, isCharted: false });
    expect(afterCut(uncharted, window, rowsDown('2026-03-10', 60), 999).expected.size).toBe(1);
  });
});

describe('of a history of which nothing is known, the newest page sizes the next window', () => {
  const open = { from: EVER.from, to: EVER.to };
  const uncharted = plan({ isCharted: false });
  const byPage = (sample: readonly Temporal.PlainDateTime[], given = uncharted, window: Window = open) => {
    const { density, maxMinutes } = afterCut(given, window, sample, 999);
    return density !== 999 / countMinutes(given, window) && { density, maxMinutes };
  };
  const hourly = rowsDown('2026-03-10T12:00', 50, 60);

  test('from the newest row down to the last one, or from the end of the window', () => {
    expect(byPage(hourly)).toEqual({ density: 50 / (49 * 60), maxMinutes: 49 * 60 });
    const closed = span('2026-03-01', '2026-03-10T13:00');
    expect(byPage(hourly, uncharted, closed)).toEqual({ density: 50 / (50 * 60), maxMinutes: 50 * 60 });
    expect(byPage(rowsDown('2026-03-10T12:00', 50))).toEqual({ density: 50 / 49, maxMinutes: DAY });
    const twins = hourly.flatMap((time) => [time, time]);
    expect(byPage(twins)).toEqual({ density: 100 / (49 * 60), maxMinutes: 49 * 60 });
  });

  test.each<[string, readonly Temporal.PlainDateTime[], WindowPlan?, Window?]>([
    ['fewer than fifty rows', hourly.slice(1)],
    ['no rows', []],
    ['the oldest rows', hourly.toReversed()],
    ['rows in no order', [...hourly.slice(0, 10), ...hourly.slice(10, 40).toReversed(), ...hourly.slice(40)]],
    ['rows of one minute', hourly.map(() => time('2026-03-10T12:00'))],
    ['the page of a shop of which orders are held', hourly, plan()],
    ['a page after which windows were read', hourly, plan({ isCharted: false, density: 1 })],
    ['the page of a single day', hourly, uncharted, span('2026-03-10', '2026-03-11')],
  ])('but not %s', (_name, sample, given, window) => {
    expect(byPage(sample, given, window)).toBe(false);
  });
});

describe('where a window cannot be read', () => {
  const cut = plan({ density: 2, maxMinutes: 60, servedMinutes: 60 });

  test.each([
    [span('2026-03-10T23:00', '2026-03-11'), 30],
    [span('2026-03-10T23:55', '2026-03-11'), 2],
    [span('2026-03-10T23:59', '2026-03-11'), 1],
  ])('the shop fails at %o: nothing longer than %i minutes is requested', (window, minutes) => {
    const changes = { maxMinutes: minutes, servedMinutes: minutes };
    expect(afterFault(cut, window)).toEqual({ ...cut, ...changes });
  });

  test('what it fails at was found: it goes on below, as far as a day at a time', () => {
    expect(afterGap(cut, span('2026-03-05T10:00', '2026-03-05T10:01'))).toEqual({
      ...cut,
      rest: span('2026-01-01', '2026-03-05T10:00'),
      maxMinutes: DAY,
      servedMinutes: Infinity,
    });
  });

  test('the rest of its oldest day is passed over, and the next may be a day long or as long as before', () => {
    const after = afterUnproven(cut, span('2026-03-10T12:00', '2026-03-11'));
    const rest = span('2026-01-01', '2026-03-10');
    expect(after).toEqual({ ...cut, rest, maxMinutes: DAY, servedMinutes: DAY });
    const long = afterUnproven(
      { ...cut, maxMinutes: 3 * DAY, servedMinutes: 4 * DAY },
      span('2026-03-09T12:00', '2026-03-11'),
    );
    expect(long).toMatchObject({ maxMinutes: 3 * DAY, servedMinutes: 4 * DAY });
  });

  test('nothing below the rest is passed over', () => {
    const late = plan({ rest: span('2026-03-10T08:00', '2026-03-11') });
    expect(afterUnproven(late, span('2026-03-10T12:00', '2026-03-11')).rest.to).toEqual(
      time('2026-03-10T08:00'),
    );
    expect(afterUnproven(late, late.rest).rest.to).toEqual(time('2026-03-10T08:00'));
  });
});
