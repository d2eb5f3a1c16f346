/** What is remembered of a shop from run to run, and what a run counts. */
import { expect, test } from 'vitest';

import { newCounters } from '../../../src/sync/run/context.ts';
import { runCounts } from '../../../src/sync/run/run-record.ts';
import { addRequests, requestsOfLastDay } from '../../../src/sync/run/shop-state.ts';
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

const at = (text: string) => Temporal.Instant.from(`2026-03-${text}Z`);
const NONE = undefined;

test('requests of one hour are summed up', () => {
  const first = addRequests(NONE, 3, at('10T12:05'));
  expect(first).toEqual({ hour: at('10T12:00'), counts: [3] });
  expect(addRequests(first, 4, at('10T12:59'))).toEqual({ hour: at('10T12:00'), counts: [7] });
});

test('later hours move the earlier ones back, hours without requests included', () => {
  const first = addRequests(NONE, 3, at('10T12:05'));
  const later = addRequests(addRequests(first, 4, at('10T13:00')), 5, at('10T16:10'));
  expect(later).toEqual({ hour: at('10T16:00'), counts: [5, 0, 0, 4, 3] });
});

test('only 24 hours are kept, however long the pause', () => {
  const first = addRequests(NONE, 3, at('10T12:05'));
  const dayLater = addRequests(first, 1, at('11T11:59'));
  expect(dayLater?.counts).toEqual([1, ...Array.from({ length: 22 }, () => 0), 3]);
  expect(addRequests(first, 1, at('11T12:00'))?.counts).toEqual([1, ...Array.from({ length: 23 }, () => 0)]);
  expect(addRequests(first, 1, at('30T12:00'))?.counts).toHaveLength(24);
});

test('nothing changes without requests, and counts dated in the future are dropped', () => {
  const ahead = addRequests(NONE, 3, at('20T12:05'));
  expect(addRequests(ahead, 0, at('30T12:00'))).toEqual(ahead);
  expect(addRequests(ahead, 2, at('10T12:00'))).toEqual({ hour: at('10T12:00'), counts: [2] });
});

test('the last 24 hours end with the current one, whenever the last request was', () => {
  const last = (text: string) => requestsOfLastDay({ hour: at('10T12:00'), counts: [5, 4, 3] }, at(text));
  expect(['10T12:59', '10T14:00', '11T09:59', '11T10:00', '11T11:00', '11T12:00'].map(last)).toEqual([
    12, 12, 12, 9, 5, 0,
  ]);
  expect(requestsOfLastDay(NONE, at('10T12:00'))).toBe(0);
});

test('the figures of a run are those since it began, of all routes but the login', () => {
  const before = { orders: 1, content: 20, user: 300, groups: 4_000, auth: 50_000, retries: 600_000 };
  const now = { orders: 3, content: 23, user: 304, groups: 4_005, auth: 50_006, retries: 600_007 };
  expect(runCounts(now, before, newCounters())).toMatchObject({
    requests: 2 + 3 + 4 + 5,
    list_requests: 2,
    content_requests: 3,
    user_requests: 4,
    retries: 7,
  });
});
