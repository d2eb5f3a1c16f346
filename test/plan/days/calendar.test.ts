import { expect, test } from 'vitest';

import type { LedgerDay } from '../../../src/model/ledger-day.ts';
import { buildCalendar } from '../../../src/plan/days/calendar.ts';
import { dueDays } from '../../../src/plan/days/due-days.ts';
import { parseFreshness } from '../../../src/plan/days/freshness.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const POLICY = parseFreshness('2d:1m, *:1d');
const ZONE = 'Europe/Berlin';

/** @param hoursAgo since it was verified; undefined: it was not */
const row = (day: string, hoursAgo: number | undefined, orders = 1): LedgerDay => ({
  day: Temporal.PlainDate.from(day),
  verifiedAt: hoursAgo === undefined ? undefined : NOW.subtract({ minutes: hoursAgo * 60 }),
  orders,
});
const calendarOf = (ledger: Parameters<typeof buildCalendar>[0], since?: string) => {
  const calendar = buildCalendar(
    ledger,
    since ? Temporal.PlainDate.from(since) : undefined,
    POLICY,
    NOW,
    ZONE,
  );
  return calendar && [calendar.firstDay.toString(), calendar.states.join(' ')];
};

const FAILURE = { reason: 'it moved', retryAt: undefined };

test('a day without a row has the state of the next one with a row, and is empty if that was verified', () => {
  expect(calendarOf([row('2026-03-05', 1), row('2026-03-08', 1), row('2026-03-10', 0)])).toEqual([
    '2026-03-05',
    'verified empty empty verified empty verified',
  ]);
});

test('each day is due, unverified, verified or empty', () => {
  const ledger = [
    row('2026-03-04', undefined),
    row('2026-03-06', 25),
    row('2026-03-07', 23, 0),
    row('2026-03-08', 23),
    row('2026-03-09', 1),
    row('2026-03-10', -1),
  ];
  expect(calendarOf(ledger)?.[1]).toBe('unverified due due empty verified due due');
});

test('a day that was verified before it ended is due once it is over', () => {
  // It ended 13 hours ago.
  expect(calendarOf([row('2026-03-08', 23), row('2026-03-09', 13.1), row('2026-03-10', 0)])?.[1]).toBe(
    'verified due verified',
  );
});

test('a day that could not be verified differs from one that was never read', () => {
  const ledger = [
    { ...row('2026-03-06', undefined), failure: FAILURE },
    row('2026-03-08', undefined),
    row('2026-03-10', 0),
  ];
  expect(calendarOf(ledger, '2026-03-05')?.[1]).toBe(
    'unverified failed unverified unverified empty verified',
  );
  expect(calendarOf([{ ...row('2026-03-10', 0), failure: FAILURE }])?.[1]).toBe('verified');
});

test('days since the last row were never read, and days before the first one were read with it', () => {
  expect(calendarOf([row('2026-03-08', 1)])).toEqual(['2026-03-08', 'verified unverified unverified']);
  expect(calendarOf([row('2026-03-08', undefined), row('2026-03-10', 0)], '2026-03-06')).toEqual([
    '2026-03-06',
    'unverified unverified unverified empty verified',
  ]);
  expect(calendarOf([row('2026-03-08', 1), row('2026-03-10', 0)], '2026-03-09'), 'a later one').toEqual([
    '2026-03-08',
    'verified empty verified',
  ]);
  // What lies before the first order is left out.
  expect(calendarOf([row('2026-03-08', 1), row('2026-03-10', 0)], '2026-03-07')).toEqual([
    '2026-03-08',
    'verified empty verified',
  ]);
});

test('orders with impossible dates do not make it longer, nor do days in the future', () => {
  expect(
    calendarOf([row('0001-01-01', 1), row('2026-03-10', 0), row('2199-01-01', 1)], '1001-01-01'),
  ).toEqual(['2026-03-10', 'verified']);
  const oldest = calendarOf([row('1986-03-10', 1), row('2026-03-10', 0)]);
  expect(oldest?.[0], 'forty years').toBe('1986-03-10');
  expect(calendarOf([row('1986-03-09', 1), row('2026-03-10', 0)])?.[0]).toBe('2026-03-10');
  expect(calendarOf([])).toBeUndefined();
  expect(calendarOf([row('2199-01-01', 1)])).toBeUndefined();
});

test('as many days with a row are due or unverified as a sweep would take', () => {
  const ledger = Array.from({ length: 60 }, (_, index) =>
    row(
      Temporal.PlainDate.from('2026-01-10').add({ days: index }).toString(),
      index % 7 === 0 ? undefined : index,
    ),
  );
  const today = Temporal.PlainDate.from('2026-03-10');
  const due = dueDays(ledger, { from: undefined, to: today }, { by: 'policy', policy: POLICY }, NOW, ZONE);
  const states = buildCalendar(ledger, undefined, POLICY, NOW, ZONE)?.states ?? [];
  expect(states.filter((state) => state === 'due' || state === 'unverified')).toHaveLength(due.length);
});
