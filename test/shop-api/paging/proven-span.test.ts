import { expect, test } from 'vitest';

import { provenSpan } from '../../../src/shop-api/paging/proven-span.ts';

const at = (text: string) => Temporal.PlainDateTime.from(`2026-03-${text}`);
const DATES = { from: at('05T00:00'), to: at('09T00:00') };

test.each([
  // A list that ends with an order of 23:59 whose time is empty: one of 23:58 may be left out.
  [['06T00:00', '07T10:00', '08T12:00'], '07T00:00', '08T12:00'],
  [['06T00:00', '06T23:30', '08T12:00'], '06T23:31', '08T12:00'],
  [['05T00:00', '06T23:30', '08T12:00'], '06T00:00', '08T12:00'],
  [['06T09:00', '07T10:00', '08T00:00'], '06T09:01', '08T00:00'],
  // A shop that shows no time at all.
  [['06T00:00', '07T00:00', '08T00:00'], '07T00:00', '08T00:00'],
])('rows of %j prove the minutes from %s to %s', (times, from, to) => {
  expect(provenSpan(DATES, times.map(at))).toEqual({ from: at(from), to: at(to) });
});

test('two orders of one day without a time prove nothing', () => {
  expect(provenSpan(DATES, ['06T00:00', '06T00:00'].map(at))).toBeUndefined();
});
