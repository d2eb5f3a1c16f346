import { expect, test } from 'vitest';

import { createSweepExpectation } from '../../../src/sync/verify/compare-page.ts';

const row = (day: string, verifiedAt: string | undefined, isDue = false) => ({
  day: Temporal.PlainDate.from(day),
  verifiedAt: verifiedAt === undefined ? undefined : Temporal.Instant.from(verifiedAt),
  isDue,
  orders: 1,
});
const LEDGER = [
  row('2026-03-02', '2026-03-03T12:00:00Z', true),
  row('2026-03-05', '2026-03-09T12:00:00Z'),
  row('2026-03-07', undefined, true),
  row('2026-03-10', '2026-03-10T11:30:20Z'),
];
const isSweepDue = createSweepExpectation(LEDGER, 'Europe/Berlin');

test.each([
  ['of a verified day', '2026-03-10T09:00', false],
  ['placed after its day was verified', '2026-03-10T12:40', true],
  ['placed in the minute in which its day was verified', '2026-03-10T12:30', true],
  ['placed in the minute before', '2026-03-10T12:29', false],
  ['of a day that is due again', '2026-03-02T09:00', true],
  ['of a day that was never verified', '2026-03-07T09:00', true],
  ['of an empty day that was verified with a later one', '2026-03-04T09:00', false],
  ['of an empty day that belongs to one that was not', '2026-03-06T09:00', true],
  ['of a day that no sweep has reached', '2026-03-11T00:10', true],
])('an order %s is left to the next sweep, or is not', (_, time, expected) => {
  const created = Temporal.PlainDateTime.from(time);
  const day = created.toPlainDate().toString();
  expect(isSweepDue({ day, created })).toBe(expected);
});

test('an order without a date has no day that could be due', () => {
  expect(isSweepDue({ day: null, created: undefined })).toBe(false);
});
