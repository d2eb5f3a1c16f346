import { expect, test } from 'vitest';

import { isConfirmable, missingOrder, missingText } from '../../src/model/missing-orders.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:30Z');
const after = (seconds: number) => NOW.add({ seconds });

test('the report of a missing order says by which minute it is confirmed', () => {
  expect(missingText({ orders: 1, confirmedAt: after(270) }, NOW)).toBe(
    "1 order disappeared from the shop's list; it is confirmed at 12:05 UTC",
  );
  expect(missingText({ orders: 1200, confirmedAt: after(271) }, NOW)).toBe(
    "1,200 orders disappeared from the shop's list; they are confirmed at 12:06 UTC",
  );
  expect(missingText({ orders: 2, confirmedAt: NOW }, NOW)).toMatch(/; they are confirmed by the next sync$/);
});

test('it is confirmed after five minutes, and a time written by a fast clock delays nothing', () => {
  expect(missingOrder(null)).toBeUndefined();
  expect(missingOrder(NOW)).toEqual({ orders: 1, confirmedAt: after(300) });
  expect([0, 1, 300, 301].map((seconds) => isConfirmable(after(seconds), NOW))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(missingText({ orders: 1, confirmedAt: after(3600) }, NOW)).toMatch(/by the next sync$/);
});
