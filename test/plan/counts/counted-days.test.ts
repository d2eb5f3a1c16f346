import { expect, test } from 'vitest';

import type { LedgerDay } from '../../../src/ledger-day.ts';
import {
  bestKnownDay,
  countedDays,
  ordersByCountedDay,
  rangeOf,
  unverifiedPlaces,
} from '../../../src/plan/counts/counted-days.ts';
import { parseFreshness } from '../../../src/plan/days/freshness.ts';

const TODAY = Temporal.PlainDate.from('2026-03-10');
const at = (hour: number) => Temporal.Instant.from('2026-03-10T00:00:00Z').add({ hours: hour });
const row = (day: string, hour: number | undefined = 0, orders = 3): LedgerDay => ({
  day: Temporal.PlainDate.from(day),
  verifiedAt: hour === undefined ? undefined : at(hour),
  orders,
});

const LEDGER = [
  row('2026-01-05', 1),
  row('2026-02-01', 5),
  row('2026-03-08', 3),
  row('2026-03-09'),
  row('2026-03-10'),
];
const POLICY = parseFreshness('2d:1m, *:1d');

test('days that every sweep reads are not counted, and a day speaks for those before it without a row', () => {
  const days = countedDays(LEDGER, POLICY, 60_000, TODAY);
  expect(days.map(({ since, day }) => `${since.toString()} ${day.toString()}`)).toEqual([
    '2001-01-01 2026-01-05',
    '2026-01-06 2026-02-01',
    '2026-02-02 2026-03-08',
  ]);
  expect(rangeOf(days)).toEqual({ from: days[0]?.since, to: days[2]?.day });
  const [first] = countedDays(LEDGER, POLICY, 60_000, TODAY, Temporal.PlainDate.from('2026-01-01'));
  expect(first?.since).toEqual(first?.day);
});

test('today is never counted, however seldom it is read', () => {
  const days = countedDays(LEDGER, parseFreshness('*:7d'), 60_000, TODAY);
  expect(days.at(-1)?.day.toString()).toBe('2026-03-09');
});

test('orders are counted with the day that speaks for theirs', () => {
  const days = countedDays(LEDGER, POLICY, 60_000, TODAY);
  const orders = new Map([
    ['2026-03-08', 4],
    ['2026-01-05', 1],
    ['2026-01-20', 7],
    ['2026-02-01', 2],
  ]);
  expect(ordersByCountedDay(days, orders)).toEqual([1, 9, 4]);
});

test('days that are not verified are told apart', () => {
  const days = countedDays(
    [row('2026-02-01'), { ...row('2026-02-02'), verifiedAt: undefined }],
    POLICY,
    60_000,
    TODAY,
  );
  expect(unverifiedPlaces(days)).toEqual([1]);
});

test('the best known day was verified last, and has orders that the facet finds, and others', () => {
  const days = countedDays(LEDGER, POLICY, 60_000, TODAY);
  expect(bestKnownDay(days, [0, 0, 0], true)).toBe(1);
  expect(bestKnownDay(days, [1, 3, 1], false)).toBe(2);
  expect(bestKnownDay(days, [3, 3, 3], false)).toBeUndefined();
});

test('a first day before the earliest date that every shop knows speaks for itself alone', () => {
  const [first] = countedDays([row('1999-12-31')], POLICY, 60_000, TODAY);
  expect(first?.since).toEqual(first?.day);
});

test('orders of days after the last one count with it, and no days are no range', () => {
  const days = countedDays(LEDGER, POLICY, 60_000, TODAY);
  expect(ordersByCountedDay(days, new Map([['2026-03-09', 2]]))).toEqual([0, 0, 2]);
  expect(ordersByCountedDay([], new Map())).toEqual([]);
  expect(() => rangeOf([])).toThrow('there are no days to count');
});

test('a day that is not verified, or has no orders, is never the best known one', () => {
  const of = (...ledger: readonly LedgerDay[]) =>
    bestKnownDay(countedDays(ledger, POLICY, 60_000, TODAY), [0, 0, 0], true);
  expect(of(row('2026-02-01', 1), { ...row('2026-02-02'), verifiedAt: undefined })).toBe(0);
  expect(of(row('2026-02-01', 1), row('2026-02-02', 2, 0))).toBe(0);
  expect(of(row('2026-02-01', 1, 0), { ...row('2026-02-02'), verifiedAt: undefined })).toBeUndefined();
});
