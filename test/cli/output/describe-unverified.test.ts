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

test('days that are not verified are counted, and the latest is named', () => {
  expect(describeUnverified([WEEK], true)).toBe(
    '7 of 181 days are not verified, the latest 2026-11-23; the figures may be incomplete. bi.unverified_days lists the days.',
  );
  const days = ['2026-06-01', '2026-07-01', '2026-08-01', '2026-09-01'].map((day) => span(day, day));
  expect(describeUnverified([shop({ days })], true)).toMatch(
    /^4 of 181 days are not verified, the latest 2026-09-01;/,
  );
});

test('a first load that was interrupted has an open beginning, and days in the future are not counted', () => {
  const days = [span(null, '2026-05-27'), span('2027-01-01', '2027-01-01')];
  expect(describeUnverified([shop({ days })], true)).toMatch(
    /^1 of 181 days is not verified, the latest 2027-01-01;/,
  );
  expect(describeUnverified([shop({ first_day: null, days: [span(null, '2026-11-23')] })], true)).toMatch(
    /^no day is verified yet;/,
  );
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
  expect(line).toMatch(/^a: 7 of 181 .*; b: .*; c: .*; and so of 2 more shops; the figures/);
});

test('only days within the known history count', () => {
  const counted = (...days: readonly ReturnType<typeof span>[]) =>
    /^\d+/.exec(describeUnverified([shop({ days })], true) ?? '')?.[0];
  expect(counted(span('2026-05-20', '2026-05-28'))).toBe('2');
  expect(counted(span('2026-11-22', '2026-12-31'))).toBe('2');
  expect(counted(span(null, '2026-05-27'), span('2026-11-23', '2026-11-23'))).toBe('2');
  expect(counted(span('2026-05-01', '2026-12-31'))).toBe('181');
});
