import { expect, test } from 'vitest';

import type { LedgerDay } from '../../../src/model/ledger-day.ts';
import { buildCalendar } from '../../../src/plan/days/calendar.ts';
import { dueDays } from '../../../src/plan/days/due-days.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const TODAY = Temporal.PlainDate.from('2026-03-10');

/** @param state of its verification, if there was any */
const row = (day: string, state: 'fresh' | 'due' | undefined, orders = 1): LedgerDay => ({
  day: Temporal.PlainDate.from(day),
  verifiedAt: state && NOW,
  isDue: state !== 'fresh',
  orders,
});
const calendarOf = (ledger: Parameters<typeof buildCalendar>[0], since?: string) => {
  const calendar = buildCalendar(ledger, since ? Temporal.PlainDate.from(since) : undefined, TODAY);
  return calendar && [calendar.firstDay.toString(), calendar.states.join(' ')];
};

const FAILURE = { reason: 'it moved', retryAt: undefined };

test('a day without a row has the state of the next one with a row, and is empty if that was verified', () => {
  expect(
    calendarOf([row('2026-03-05', 'fresh'), row('2026-03-08', 'fresh'), row('2026-03-10', 'fresh')]),
  ).toEqual(['2026-03-05', 'verified empty empty verified empty verified']);
});

test('each day is due, unverified, verified or empty', () => {
  const ledger = [
    row('2026-03-04', undefined),
    row('2026-03-06', 'due'),
    row('2026-03-07', 'fresh', 0),
    row('2026-03-08', 'fresh'),
    row('2026-03-09', 'due'),
    row('2026-03-10', 'due'),
  ];
  expect(calendarOf(ledger)?.[1]).toBe('unverified due due empty verified due due');
});

test('a day that could not be verified differs from one that was never read', () => {
  const ledger = [
    { ...row('2026-03-06', undefined), failure: FAILURE },
    row('2026-03-08', undefined),
    row('2026-03-10', 'fresh'),
  ];
  expect(calendarOf(ledger, '2026-03-05')?.[1]).toBe(
    'unverified failed unverified unverified empty verified',
  );
  expect(calendarOf([{ ...row('2026-03-10', 'fresh'), failure: FAILURE }])?.[1]).toBe('verified');
});

test('days since the last row were never read, and days before the first one were read with it', () => {
  expect(calendarOf([row('2026-03-08', 'fresh')])).toEqual(['2026-03-08', 'verified unverified unverified']);
  expect(calendarOf([row('2026-03-08', undefined), row('2026-03-10', 'fresh')], '2026-03-06')).toEqual([
    '2026-03-06',
    'unverified unverified unverified empty verified',
  ]);
  expect(
    calendarOf([row('2026-03-08', 'fresh'), row('2026-03-10', 'fresh')], '2026-03-09'),
    'a later one',
  ).toEqual(['2026-03-08', 'verified empty verified']);
  // What lies before the first order is left out.
  expect(calendarOf([row('2026-03-08', 'fresh'), row('2026-03-10', 'fresh')], '2026-03-07')).toEqual([
    '2026-03-08',
    'verified empty verified',
  ]);
});

test('orders with impossible dates and days in the future do not extend it', () => {
  expect(
    calendarOf(
      [row('0001-01-01', 'fresh'), row('2026-03-10', 'fresh'), row('2199-01-01', 'fresh')],
      '1001-01-01',
    ),
  ).toEqual(['2026-03-10', 'verified']);
  const oldest = calendarOf([row('1986-03-10', 'fresh'), row('2026-03-10', 'fresh')]);
  expect(oldest?.[0], 'forty years').toBe('1986-03-10');
  expect(calendarOf([row('1986-03-09', 'fresh'), row('2026-03-10', 'fresh')])?.[0]).toBe('2026-03-10');
  expect(calendarOf([])).toBeUndefined();
  expect(calendarOf([row('2199-01-01', 'fresh')])).toBeUndefined();
});

test('the days with a row that are due or unverified are those that a sweep would read', () => {
  const ledger = Array.from({ length: 60 }, (_, index) =>
    row(
      Temporal.PlainDate.from('2026-01-10').add({ days: index }).toString(),
      index % 7 === 0 ? undefined : index % 2 === 0 ? 'fresh' : 'due',
    ),
  );
  const due = dueDays(ledger, { from: undefined, to: TODAY }, {}, NOW);
  const states = buildCalendar(ledger, undefined, TODAY)?.states ?? [];
  expect(states.filter((state) => state === 'due' || state === 'unverified')).toHaveLength(due.length);
});
