import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { clockSkew, clockSkewText, minutesAhead } from '../../../src/plan/clock/clock-skew.ts';

const NOON = Temporal.Instant.from('2026-03-10T12:00:00Z');
const local = (instant: Temporal.Instant, zone: string) => instant.toZonedDateTimeISO(zone).toPlainDateTime();
const ahead = (minutes: number) => local(NOON, 'UTC').add({ minutes });
/** Fifteen minutes, as between India and Nepal, may as well be a clock that is wrong. */
const LEAST_OFFSET_NS = 30 * 60 * 1e9;
const offset = (zone: string, at = NOON) => at.toZonedDateTimeISO(zone).offsetNanoseconds;

describe('the newest order', () => {
  test.each([
    { minutes: -300, is: 'old' },
    { minutes: 0, is: 'of this minute' },
    { minutes: 10, is: 'ahead by what clocks may differ' },
    { minutes: 26 * 60 + 1, is: 'further ahead than any zone' },
    { minutes: 73 * 365 * 1440, is: 'dated 2099 by hand' },
  ])('gives no warning if it is $is', ({ minutes }) => {
    expect(clockSkew(ahead(minutes), NOON, 'UTC')).toBeUndefined();
  });

  test.each([
    {
      minutes: 11,
      zone: 'UTC',
      text: 'is set to UTC, but the newest order is 11 min ahead; check the clocks',
    },
    { minutes: 29, zone: 'UTC', text: 'is 29 min ahead; check the clocks' },
    { minutes: 30, zone: 'UTC', text: "is 0.5 h ahead; the shop's zone is UTC+00:30 or one east of it" },
    // Ten minutes ahead of Moscow.
    { minutes: 190, zone: 'UTC', text: "is 3 h ahead; the shop's zone is UTC+03:00 or one east of it" },
    {
      minutes: 175,
      zone: 'UTC',
      text: "is set to UTC, but the newest order is 3 h ahead; the shop's zone is UTC+02:45 or one east of it",
    },
    { minutes: 330, zone: 'UTC', text: "5.5 h ahead; the shop's zone is UTC+05:30 or one east of it" },
    {
      minutes: 600,
      zone: 'Europe/Berlin',
      text: "is set to Europe/Berlin, but the newest order is 9 h ahead; the shop's zone is UTC+10:00",
    },
    { minutes: 900, zone: 'UTC', text: '15 h ahead; no zone explains that: check the clocks' },
    { minutes: 26 * 60, zone: 'UTC', text: '26 h ahead; no zone' },
  ])('$minutes minutes ahead of UTC in $zone: $text', ({ minutes, zone, text }) => {
    const skew = clockSkew(ahead(minutes), NOON, zone);
    expect(skew && clockSkewText(skew, zone)).toContain(text);
  });
});

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
const instants = fc
  .integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2028, 0, 1) })
  .map((ms) => Temporal.Instant.fromEpochMilliseconds(ms));

test('a shop of any zone is never taken for another one when its own is configured', () => {
  fc.assert(
    fc.property(zone, instants, fc.nat(100_000), (own, seenAt, ageMinutes) => {
      const created = local(seenAt.subtract({ minutes: ageMinutes }), own);
      expect(clockSkew(created, seenAt, own)).toBeUndefined();
    }),
  );
});

test('a shop in a later zone than the configured one is found by a fresh order, and its offset is proposed', () => {
  fc.assert(
    fc.property(zone, zone, instants, (own, configured, seenAt) => {
      fc.pre(offset(own, seenAt) - offset(configured, seenAt) >= LEAST_OFFSET_NS);
      const skew = clockSkew(local(seenAt, own), seenAt, configured);
      expect(offset(skew?.fittingOffset ?? 'UTC', seenAt)).toBe(offset(own, seenAt));
    }),
  );
});

test('a local time that occurs twice, or is skipped, is read as the earlier instant', () => {
  const ahead = (time: string, at: string) =>
    minutesAhead(Temporal.PlainDateTime.from(time), Temporal.Instant.from(at), 'Europe/Berlin');
  expect(ahead('2026-10-25T02:30', '2026-10-25T00:30Z')).toBe(0);
  expect(ahead('2026-03-29T02:30', '2026-03-29T00:30Z')).toBe(0);
});
