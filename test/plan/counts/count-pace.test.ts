import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { areCountsDue, countRequestsAllowed } from '../../../src/plan/counts/count-pace.ts';

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

test('with COUNT_EVERY=off it never is', () => {
  expect(areCountsDue(undefined, 0, NOW)).toBe(false);
});

test('what is left of a tenth of the pace may be used later, up to that of an hour', () => {
  expect(countRequestsAllowed(undefined, 10, NOW)).toBe(3_600);
  expect(countRequestsAllowed(before(60), 10, NOW)).toBe(60);
  expect(countRequestsAllowed(before(60, 100), 10, NOW)).toBe(160);
  expect(countRequestsAllowed(before(86_400, 3_500), 10, NOW)).toBe(3_600);
  expect(countRequestsAllowed(before(60), 0.5, NOW)).toBe(3);
});

test('whatever is asked when, counts take no more than a tenth of the pace, and an hour of it ahead', () => {
  const steps = fc.array(fc.record({ seconds: fc.nat(7_200), wanted: fc.nat(500) }), { maxLength: 50 });
  fc.assert(
    fc.property(steps, fc.double({ min: 0.1, max: 50, noNaN: true }), (given, maxRps) => {
      let last: ReturnType<typeof before> | undefined;
      let [now, sent] = [NOW, 0];
      for (const { seconds, wanted } of given) {
        now = now.add({ seconds });
        const allowed = countRequestsAllowed(last, maxRps, now);
        const used = Math.min(wanted, Math.floor(allowed));
        sent += used;
        last = { at: now, requestsLeft: allowed - used };
      }
      const passed = now.since(NOW).total('seconds');
      expect(sent).toBeLessThanOrEqual((maxRps / 10) * (passed + 3_600) + 1e-6);
    }),
  );
});
