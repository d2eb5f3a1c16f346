import { expect, test } from 'vitest';

import { describeUnverified } from '../../../src/cli/output/describe-unverified.ts';
import type { UnverifiedShop } from '../../../src/warehouse/query/unverified-days.ts';

const shop = (changes: Partial<UnverifiedShop>): UnverifiedShop => ({
  shop: 'north',
  first_day: '2026-05-27',
  last_day: '2026-11-23',
  days: [],
  line_days: [],
  missing_orders: 0,
  confirmed_at: null,
  ...changes,
});
const span = (from: string | null, to: string) => ({ from, to });
const WEEK = shop({ days: [span('2026-11-17', '2026-11-23')] });

test('nothing is printed if everything is verified', () => {
  expect(describeUnverified([], true)).toBeUndefined();
});

test('days that are not verified are named, the latest first', () => {
  expect(describeUnverified([WEEK], true)).toBe(
    'not verified: 2026-11-17 to 2026-11-23; the figures may be incomplete. bi.unverified_days lists the days.',
  );
  const days = ['2026-06-01', '2026-07-01', '2026-08-01', '2026-09-01'].map((day) => span(day, day));
  expect(describeUnverified([shop({ days })], true)).toMatch(
    /^not verified: 2026-09-01, 2026-08-01, 2026-07-01, 1 earlier span;/,
  );
  expect(describeUnverified([shop({ days: [span('2026-05-01', '2026-05-02'), ...days] })], true)).toMatch(
    /, 2026-07-01, 2 earlier spans;/,
  );
});

test('a first load that was interrupted has an open beginning', () => {
  const days = [span(null, '2026-05-27'), span('2027-01-01', '2027-01-01')];
  expect(describeUnverified([shop({ days })], true)).toMatch(
    /^not verified: 2027-01-01, all days up to 2026-05-27;/,
  );
});

test.each([
  { first_day: null, days: [span(null, '2026-11-23')] },
  // Announced, and not read yet.
  { first_day: '2026-11-23', days: [span(null, '2026-11-23')] },
])('a first load that has verified nothing says so: %j', (given) => {
  expect(describeUnverified([shop(given)], true)).toMatch(/^no day is verified yet;/);
});

test('outdated lines are reported if the days are verified', () => {
  const line_days = [span('2026-11-20', '2026-11-20')];
  expect(describeUnverified([shop({ line_days })], true)).toMatch(
    /^lines of orders up to 2026-11-20 are not up to date;/,
  );
});

test('of several shops each is named, up to three', () => {
  const shops = ['a', 'b', 'c', 'd', 'e'].map((key) => shop({ shop: key, days: WEEK.days }));
  const line = describeUnverified(shops, false);
  expect(line).toMatch(/^a: not verified: 2026-11-17 .*; b: .*; c: .*; and so of 2 more shops; the figures/);
});
