import { expect, test } from 'vitest';

import type { LedgerDay } from '../../../src/model/ledger-day.ts';
import { aheadOf, type DueDay, type DueRule, dueDays } from '../../../src/plan/days/due-days.ts';
import { parseFreshness } from '../../../src/plan/days/freshness.ts';

const day = (text: string) => Temporal.PlainDate.from(text);
const at = (text: string) => Temporal.Instant.from(text);
const now = at('2026-03-05T12:00:00Z');
/** A day that was verified; whether it is due nevertheless, the database says: see `test/warehouse/ops/is-due.pg.test.ts`. */
const entry = (text: string, isDue: boolean): LedgerDay => {
  return { day: day(text), verifiedAt: now, isDue, orders: 7 };
};
const days = (due: readonly { readonly day: Temporal.PlainDate }[]) => due.map(({ day }) => day.toString());

const range = { from: day('2026-03-01'), to: day('2026-03-05') };

test('days without a row in the ledger are due at once, newest first', () => {
  expect(dueDays([], range, {}, now)).toEqual(
    ['2026-03-05', '2026-03-04', '2026-03-03', '2026-03-02', '2026-03-01'].map((text) => {
      return { day: day(text), since: day(text), expected: undefined };
    }),
  );
});

test('of a shop that was never read, all is due up to the last day, as one entry', () => {
  expect(dueDays([], { from: undefined, to: range.to }, {}, now)).toEqual([
    { day: range.to, since: undefined, expected: undefined },
  ]);
});

test('due days are listed newest first, with the number of orders that they had', () => {
  const ledger = [entry('2026-03-05', true), entry('2026-03-04', false), entry('2026-03-03', true)];
  expect(dueDays(ledger, { ...range, from: day('2026-03-03') }, {}, now)).toEqual(
    ['2026-03-05', '2026-03-03'].map((text) =>
      expect.objectContaining({ day: day(text), since: day(text), expected: 7 }),
    ),
  );
});

test('a day that is due soon counts as due, but at most half its target early', () => {
  const seconds = aheadOf(parseFreshness('1d:5m, 3d:1h, *:1d'), 200_000).map(
    ({ targetMs }) => targetMs / 1_000,
  );
  expect(seconds).toEqual([150, 3_400, 86_200]);
});

test('a range that ends before it begins has no due day, and one day is a range', () => {
  expect(dueDays([], { from: range.to, to: range.from }, {}, now)).toEqual([]);
  expect(days(dueDays([], { from: range.to, to: range.to }, {}, now))).toEqual(['2026-03-05']);
});

/** `2026-03-04`, or `2026-03-02..2026-03-04` for a day that speaks for others before it, `..2026-03-04` for all before. */
const entries = (due: readonly DueDay[]) =>
  due.map(({ day, since }) => {
    if (since === undefined) return `..${day.toString()}`;
    return since.equals(day) ? day.toString() : `${since.toString()}..${day.toString()}`;
  });
const [OLD, FRESH] = [true, false];
const lists = (ledger: readonly LedgerDay[], from: string | undefined, to = '2026-03-05') =>
  entries(dueDays(ledger, { from: from === undefined ? undefined : day(from), to: day(to) }, {}, now));

test('a row covers the days before it that have none, and the first one everything older', () => {
  const ledger = [entry('2024-02-10', OLD), entry('2026-03-02', OLD), entry('2026-03-05', OLD)];
  expect(lists(ledger, undefined)).toEqual([
    '2026-03-03..2026-03-05',
    '2024-02-11..2026-03-02',
    '..2024-02-10',
  ]);
});

test('days that a fresh row covers are not due', () => {
  expect(lists([entry('2024-02-10', FRESH), entry('2026-03-05', FRESH)], undefined)).toEqual([]);
  expect(lists([entry('2024-02-10', OLD), entry('2026-03-05', FRESH)], undefined)).toEqual(['..2024-02-10']);
});

test('if a day could not be read, the days that it covers are due as well', () => {
  const failed = { day: day('2026-03-04'), verifiedAt: undefined, isDue: true, orders: undefined };
  expect(lists([entry('2026-03-01', FRESH), failed, entry('2026-03-05', FRESH)], undefined)).toEqual([
    '2026-03-02..2026-03-04',
  ]);
});

test('days after the last row of the ledger were never read', () => {
  expect(lists([entry('2026-03-03', FRESH)], undefined)).toEqual(['2026-03-05', '2026-03-04']);
});

test('a range that begins in a gap limits what its first day covers, and days before the ledger are due separately', () => {
  const ledger = [entry('2026-02-01', OLD), entry('2026-03-04', OLD), entry('2026-03-05', FRESH)];
  expect(lists(ledger, '2026-03-02')).toEqual(['2026-03-02..2026-03-04']);
  expect(lists(ledger, '2026-01-30', '2026-02-01')).toEqual(['2026-02-01', '2026-01-31', '2026-01-30']);
  expect(lists([entry('2026-03-05', FRESH)], '2026-03-03')).toEqual(['2026-03-04', '2026-03-03']);
});

test('a range within a gap is read, since it contains no row', () => {
  const ledger = [entry('2026-02-01', FRESH), entry('2026-03-05', FRESH)];
  expect(lists(ledger, '2026-03-02', '2026-03-03')).toEqual(['2026-03-03', '2026-03-02']);
});

test('up to 366 days that were never read are taken day by day, more as one entry', () => {
  expect(lists([], '2025-03-05')).toHaveLength(366);
  expect(lists([], '2025-03-04')).toEqual(['2025-03-04..2026-03-05']);
  expect(lists([entry('2026-03-05', FRESH)], '2010-01-01')).toEqual(['2010-01-01..2026-03-04']);
});

const failed = (retryAt: string | undefined): LedgerDay => {
  const failure = { reason: 'it moved', retryAt: retryAt === undefined ? undefined : at(retryAt) };
  return { day: day('2026-03-02'), verifiedAt: undefined, isDue: true, orders: undefined, failure };
};

test.each([
  ['2026-03-05T12:00:01Z', false],
  ['2026-03-05T12:00:00Z', true],
  ['2026-03-05T13:00:00Z', false],
  // Written by a clock that ran ahead.
  ['2026-03-05T13:00:01Z', true],
  [undefined, true],
])('a failed day with a retry at %s is due now: %s', (retryAt, isDue) => {
  const only = { from: day('2026-03-02'), to: day('2026-03-02') };
  const found = (rule: DueRule) => days(dueDays([failed(retryAt)], only, rule, now));
  expect(found({ awaitsRetry: true })).toEqual(isDue ? ['2026-03-02'] : []);
  expect(found({})).toEqual(['2026-03-02']);
  const ahead = found({ awaitsRetry: true, aheadMs: 1_000 });
  expect(ahead, 'a second ahead').toEqual(retryAt === '2026-03-05T13:00:00Z' ? [] : ['2026-03-02']);
});
