import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  areCountsDue,
  countRequestsAllowed,
  countRequestsPerHour,
} from '../../../src/plan/counts/count-pace.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const MINUTE = 60_000;
const before = (seconds: number, requestsLeft = 0) => ({ at: NOW.subtract({ seconds }), requestsLeft });

test.each([
  [undefined, true],
  [before(20), false],
  [before(31), true],
  [before(-5), true],
])('counted %o, a shop is to be counted: %s', (last, isDue) => {
  expect(areCountsDue(last, MINUTE, NOW)).toBe(isDue);
});

test('where it is counted every 20 s, it is counted 10 s early at most', () => {
  expect(areCountsDue(before(9), 20_000, NOW)).toBe(false);
  expect(areCountsDue(before(10), 20_000, NOW)).toBe(true);
});

test('with COUNT_EVERY=off it never is', () => {
  expect(areCountsDue(undefined, 0, NOW)).toBe(false);
});

test('of a tenth of the pace, half is allowed as time goes by, and half an hour of it may be saved', () => {
  expect(countRequestsAllowed(undefined, 10, NOW)).toBe(1_800);
  expect(countRequestsAllowed(before(60), 10, NOW)).toBe(30);
  expect(countRequestsAllowed(before(60, 100), 10, NOW)).toBe(130);
  expect(countRequestsAllowed(before(86_400, 1_750), 10, NOW)).toBe(1_800);
  expect(countRequestsAllowed(before(60), 1, NOW)).toBe(3);
  expect(countRequestsAllowed(before(-60, 100), 10, NOW), 'a clock that was set back').toBe(100);
});

test('in an hour without changes the facets are counted as often as is asked for and allowed', () => {
  expect(countRequestsPerHour(20, MINUTE, 50)).toBe(1_200);
  expect(countRequestsPerHour(20, MINUTE, 2)).toBe(360);
  expect(countRequestsPerHour(20, 0, 50)).toBe(0);
});

test('whatever is asked when, counts take no more than a tenth of the pace in any hour', () => {
  const steps = fc.array(fc.record({ seconds: fc.nat(2_000), wanted: fc.nat(4_000) }), { maxLength: 50 });
  fc.assert(
    fc.property(steps, fc.double({ min: 0.1, max: 50, noNaN: true }), (given, maxRps) => {
      let last: ReturnType<typeof before> | undefined;
      let now = NOW;
      const sent: { readonly at: Temporal.Instant; readonly requests: number }[] = [];
      for (const { seconds, wanted } of given) {
        now = now.add({ seconds });
        const allowed = countRequestsAllowed(last, maxRps, now);
        const requests = Math.min(wanted, Math.floor(allowed));
        last = { at: now, requestsLeft: allowed - requests };
        sent.push({ at: now, requests });
        const inHour = sent.filter(({ at }) => now.since(at).total('hours') <= 1);
        const sum = inHour.reduce((all, each) => all + each.requests, 0);
        expect(sum).toBeLessThanOrEqual(maxRps * 360 + 1e-6);
      }
    }),
  );
});
