import { expect, test } from 'vitest';

import { plausiblePause, isPast, pauseUntil } from '../../../src/plan/clock/clock-bounds.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const later = (duration: Temporal.DurationLike) => NOW.add(duration);

test.each([
  { requestedMs: 0.5, until: later({ milliseconds: 1 }) },
  { requestedMs: 90_000, until: later({ seconds: 90 }) },
  { requestedMs: 3_600_000, until: later({ hours: 1 }) },
  { requestedMs: 999_999_999_000, until: later({ hours: 1 }) },
])(
  'a shop that requests a pause of $requestedMs ms gets one of an hour at most',
  ({ requestedMs, until }) => {
    expect(pauseUntil(NOW, requestedMs)).toEqual(until);
    expect(plausiblePause(until, NOW)).toEqual(until);
  },
);

test('a pause written by a fast clock delays nothing', () => {
  const written = pauseUntil(later({ hours: 24 * 365 }), 60_000);
  expect(plausiblePause(written, NOW)).toBeUndefined();
  expect(plausiblePause(later({ hours: 1, milliseconds: 1 }), NOW)).toBeUndefined();
  expect(plausiblePause(later({ hours: -1 }), NOW)).toEqual(later({ hours: -1 }));
  expect(plausiblePause(undefined, NOW)).toBeUndefined();
});

test('a time in the future counts as not reached', () => {
  expect([-1, 0, 1].map((milliseconds) => isPast(later({ milliseconds }), NOW))).toEqual([true, true, false]);
});
