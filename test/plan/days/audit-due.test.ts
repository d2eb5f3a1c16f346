import { expect, test } from 'vitest';

import { auditDue, findSurplus, isTotalApart } from '../../../src/plan/days/audit-due.ts';

const NOW = Temporal.Instant.from('2026-03-10T18:00:00Z');
const lastAt = (ago: Temporal.DurationLike) => ({
  finishedAt: NOW.subtract(Temporal.Duration.from(ago)),
  orders: 42,
  total: 42,
  live: 42,
});

test('an audit is due where there was none, after a week, and where a clock ran ahead', () => {
  expect(auditDue(undefined, NOW)).toBe('now');
  expect(auditDue(lastAt({ hours: 168 }), NOW)).toBe('now');
  expect(auditDue(lastAt({ hours: -1 }), NOW)).toBe('now');
  expect(auditDue(lastAt({ hours: 0 }), NOW)).toBe('later');
  expect(auditDue(lastAt({ hours: 167, minutes: 59 }), NOW)).toBe('by total');
});

test('a total that was right may make it due earlier, at most once an hour', () => {
  expect(auditDue(lastAt({ hours: 1 }), NOW)).toBe('by total');
  expect(auditDue(lastAt({ minutes: 59 }), NOW)).toBe('later');
  for (const total of [undefined, 41]) {
    expect(auditDue({ ...lastAt({ hours: 1 }), total }, NOW)).toBe('later');
  }
});

test('the total is apart where it differs from what is held otherwise than at the audit', () => {
  const last = lastAt({ hours: 1 });
  expect(isTotalApart(last, 45, 45)).toBe(false);
  expect(isTotalApart(last, 45, 44)).toBe(true);
  expect(isTotalApart({ ...last, live: undefined }, 45, 44)).toBe(true);
  expect(isTotalApart({ ...last, live: undefined }, 45, 45)).toBe(false);
  // Two orders are not held for a reason that the audit did not remove.
  expect(isTotalApart({ ...last, live: 40 }, 45, 43)).toBe(false);
  expect(isTotalApart({ ...last, live: 40 }, 45, 44)).toBe(true);
});

test('the surplus is what the total counts more than the list holds', () => {
  const last = lastAt({ hours: 1 });
  expect(findSurplus(undefined)).toBe(0);
  expect(findSurplus({ ...last, total: 45 })).toBe(3);
  expect(findSurplus({ ...last, total: 40 })).toBe(0);
  expect(findSurplus({ ...last, total: undefined })).toBe(0);
});
