import { expect, test } from 'vitest';

import type { LedgerDay } from '../../../src/model/ledger-day.ts';
import { countedDays, ordersWithin, rangeOf } from '../../../src/plan/counts/counted-days.ts';
import { parseFreshness } from '../../../src/plan/days/freshness.ts';

const TODAY = Temporal.PlainDate.from('2026-03-10');
const at = (hour: number) => Temporal.Instant.from('2026-03-10T00:00:00Z').add({ hours: hour });
const row = (day: string, hour: number | undefined = 0, orders = 3): LedgerDay => ({
  day: Temporal.PlainDate.from(day),
  verifiedAt: hour === undefined ? undefined : at(hour),
  isDue: false,
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

test('days that every sweep reads are not counted, and a row covers the days before it without one', () => {
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

test('orders are counted with the row that covers their day', () => {
  const days = countedDays(LEDGER, POLICY, 60_000, TODAY);
  const orders = new Map([
    ['2026-03-08', 4],
    ['2026-01-05', 1],
    ['2026-01-20', 7],
    ['2026-02-01', 2],
  ]);
  expect(days.map((day) => ordersWithin([day], orders))).toEqual([1, 9, 4]);
  expect(ordersWithin(days.slice(1), orders)).toBe(13);
  expect(ordersWithin(days, orders)).toBe(14);
});

test('a first day before the earliest date that every shop accepts covers only itself', () => {
  const [first] = countedDays([row('1999-12-31')], POLICY, 60_000, TODAY);
  expect(first?.since).toEqual(first?.day);
});

test('there is no range without days', () => {
  expect(() => rangeOf([])).toThrow('there are no days to count');
});
