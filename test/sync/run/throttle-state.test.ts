import { expect, test } from 'vitest';

import {
  currentThrottle,
  expectedPace,
  foundPace,
  measurePace,
} from '../../../src/sync/run/throttle-state.ts';

type Health = Parameters<typeof currentThrottle>[0];
type Context = NonNullable<Parameters<typeof currentThrottle>[1]>;

const health = (changes: Partial<Health>): Health => ({
  concurrency: 2,
  lowestConcurrency: 1,
  maxConcurrency: 4,
  maxRps: 10,
  foundRps: undefined,
  limitedBy: undefined,
  circuit: 'closed',
  answers: 5,
  isFailing: false,
  pausedUntil: undefined,
  waitsUntil: undefined,
  probes: 0,
  ...changes,
});
/** The client answered five requests of earlier runs. */
const during = (earlier: Context['earlier']): Context => ({ earlier, answersBefore: 5, isEnded: false });

test.each<[string, Health, Context, string]>([
  ['was down, as long as nothing was answered', health({}), during('open'), 'open'],
  ['was not, until the run ends', health({ isFailing: true }), during('closed'), 'closed'],
  [
    'is down after a run without an answer',
    health({ isFailing: true }),
    { ...during('closed'), isEnded: true },
    'open',
  ],
  ['stays as it was after a run without a request', health({}), { ...during('open'), isEnded: true }, 'open'],
  [
    'is up after an answer',
    health({ answers: 6, isFailing: true }),
    { ...during('open'), isEnded: true },
    'closed',
  ],
  ['is down when the breaker says so', health({ circuit: 'half-open' }), during('closed'), 'half-open'],
])('a shop %s', (_what, given, context, circuit) => {
  expect(currentThrottle(given, context).circuit).toBe(circuit);
});

test('a load is estimated at the pace of the last load, or else at the allowed, found or possible one', () => {
  const given = currentThrottle(health({ maxRps: 50, maxConcurrency: 16, concurrency: 3 }));
  expect(expectedPace(given, undefined)).toBe(50);
  expect(expectedPace(given, undefined, 2_000), 'as answers come').toBe(8);
  expect(expectedPace({ ...given, limited_by: 'slowness' }, undefined, 500)).toBe(6);
  expect(expectedPace({ ...given, limited_by: 'failures' }, undefined, 500), 'which pass').toBe(32);
  expect(expectedPace({ ...given, found_rps: 30, limited_by: 'rate' }, undefined, 10)).toBe(30);
  expect(expectedPace(given, 41, 2_000), 'whatever one request takes').toBe(41);
  expect(expectedPace(given, 90), 'of a time with other settings').toBe(50);
  expect(measurePace(99, 1_000)).toBeUndefined();
  expect(measurePace(300, 10_000)).toBe(30);
});

test('the next run starts with the rate that was found, and with fewer concurrent requests if more were slower', () => {
  expect(foundPace(undefined)).toEqual({ rps: undefined, concurrency: undefined });
  expect(foundPace(currentThrottle(health({ limitedBy: 'slowness' })))).toEqual({
    rps: undefined,
    concurrency: 2,
  });
  // What failed may have recovered.
  for (const limitedBy of ['failures', 'rate'] as const)
    expect(foundPace(currentThrottle(health({ foundRps: 7, limitedBy })))).toEqual({
      rps: 7,
      concurrency: undefined,
    });
});
