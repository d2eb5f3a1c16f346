import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  countedNow,
  countRequestsAllowed,
  countRequestsPerHour,
} from '../../../src/plan/counts/count-pace.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const MINUTE = 60_000;
const before = (seconds: number, requestsLeft = 0) => ({ at: NOW.subtract({ seconds }), requestsLeft });

test('each facet is counted once in every interval, however often sweeps run', () => {
  const facets = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  expect(countedNow(facets, undefined, MINUTE, NOW)).toEqual(facets);
  expect(countedNow(facets, before(60), MINUTE, NOW)).toEqual(facets);
  expect(countedNow(facets, before(-1), MINUTE, NOW), 'a clock that was set back').toEqual(facets);
  expect(countedNow(facets, before(3600), MINUTE, NOW), 'once each').toEqual(facets);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 }), (gaps) => {
      const asked = new Map(facets.map((facet): [string, number[]] => [facet, [0]]));
      let [atS, lastS] = [0, 0];
      for (const gap of gaps) {
        atS += gap;
        const last = { at: NOW.add({ seconds: lastS }), requestsLeft: 0 };
        const turn = countedNow(facets, last, 600_000, NOW.add({ seconds: atS }));
        for (const facet of turn) asked.get(facet)?.push(atS);
        if (turn.length > 0) lastS = atS;
      }
      for (const times of asked.values()) {
        const ended = [...times, atS];
        const longest = Math.max(...ended.slice(1).map((time, index) => time - (ended[index] ?? 0)));
        expect(longest).toBeLessThan(600 + 400);
        expect(times.length - 1).toBeLessThanOrEqual(Math.ceil(atS / 600));
      }
    }),
  );
});

test('counts may use a twentieth of the pace steadily, and save up half an hour of it', () => {
  expect(countRequestsAllowed(undefined, 10, NOW)).toBe(1_800);
  expect(countRequestsAllowed(before(60), 10, NOW)).toBe(30);
  expect(countRequestsAllowed(before(60, 100), 10, NOW)).toBe(130);
  expect(countRequestsAllowed(before(86_400, 1_750), 10, NOW)).toBe(1_800);
  expect(countRequestsAllowed(before(60), 1, NOW)).toBe(3);
  expect(countRequestsAllowed(before(-60, 100), 10, NOW), 'a clock that was set back').toBe(100);
});

test('in a quiet hour the facets are counted as often as the setting and the pace allow', () => {
  expect(countRequestsPerHour(20, MINUTE, 50)).toBe(1_200);
  expect(countRequestsPerHour(20, MINUTE, 2)).toBe(360);
  expect(countRequestsPerHour(20, 0, 50)).toBe(0);
});

test('counts never take more than a tenth of the pace in any hour', () => {
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
