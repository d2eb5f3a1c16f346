import { expect, test } from 'vitest';

import { findSurplus, isAuditDue } from '../../../src/plan/days/audit-due.ts';

const NOW = Temporal.Instant.from('2026-03-10T18:00:00Z');
const lastAt = (ago: Temporal.DurationLike, orders = 42) => ({
  finishedAt: NOW.subtract(Temporal.Duration.from(ago)),
  orders,
  total: orders,
});

test('an audit is due if there was none, after a week, or if the last one is dated in the future', () => {
  expect(isAuditDue(undefined, false, NOW)).toBe(true);
  expect(isAuditDue(lastAt({ hours: 168 }), false, NOW)).toBe(true);
  expect(isAuditDue(lastAt({ hours: -1 }), false, NOW)).toBe(true);
  expect(isAuditDue(lastAt({ hours: 0 }), false, NOW)).toBe(false);
  expect(isAuditDue(lastAt({ hours: 167, minutes: 59 }), false, NOW)).toBe(false);
});

test('with orders without a date it is due an hour later, or as many as the list has thousands of orders, up to a week', () => {
  expect(isAuditDue(lastAt({ minutes: 59 }), true, NOW)).toBe(false);
  expect(isAuditDue(lastAt({ hours: 1 }), true, NOW)).toBe(true);
  expect(isAuditDue(lastAt({ hours: 1 }, 3_000), true, NOW)).toBe(false);
  expect(isAuditDue(lastAt({ hours: 3 }, 3_000), true, NOW)).toBe(true);
  expect(isAuditDue(lastAt({ hours: 167 }, 1_000_000), true, NOW)).toBe(false);
  expect(isAuditDue(lastAt({ hours: 168 }, 1_000_000), true, NOW)).toBe(true);
});

test('the surplus is the total minus the number of listed orders', () => {
  const last = lastAt({ hours: 1 });
  expect(findSurplus(undefined)).toBe(0);
  expect(findSurplus({ ...last, total: 45 })).toBe(3);
  expect(findSurplus({ ...last, total: 40 })).toBe(0);
  expect(findSurplus({ ...last, total: undefined })).toBe(0);
});
