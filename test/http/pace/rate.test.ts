/** The rate against a server that refuses what is too much, in simulated time. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { afterAnswer, afterRefusal, startRate } from '../../../src/http/pace/rate.ts';
import { type Answer, LeakyBucket, randomOf, SimulatedClient, Timeline } from './simulated-server.ts';

const MAX_RPS = 50;
type Done = (answer: Answer) => void;

/** A server behind a bucket: an answer takes about so long, a refusal 2 ms. */
function limitedBy(
  time: Timeline,
  bucket: LeakyBucket,
  latencyMs: number,
  seed: number,
): (done: Done) => void {
  const random = randomOf(seed);
  return (done) =>
    time.in(latencyMs / 10, () => {
      const isTaken = bucket.takes(time.nowMs);
      const tookMs = isTaken ? latencyMs * (0.95 + 0.1 * random()) : 2;
      time.in(tookMs, () => done(isTaken ? 'answered' : 'refused'));
    });
}

const LIMITS = fc.record({
  perSecond: fc.constantFrom(2, 5, 10, 30),
  burst: fc.integer({ min: 5, max: 20 }),
  latencyMs: fc.integer({ min: 10, max: 120 }),
  seed: fc.nat(10_000),
});

test('a limit is found and used: hardly anything is refused, and the rate settles near it', () => {
  fc.assert(
    fc.property(LIMITS, ({ perSecond, burst, latencyMs, seed }) => {
      const [time, bucket] = [new Timeline(), new LeakyBucket(perSecond, burst)];
      const ask = limitedBy(time, bucket, latencyMs, seed);
      const client = new SimulatedClient(time, { maxConcurrency: 16, maxRps: MAX_RPS, ask });
      const seconds = Math.max(90, 900 / perSecond);
      time.runTo(seconds * 1000);
      const { answered, refused } = client.counts;
      // What the bucket takes at once is not the limit's.
      expect((answered - burst) / (perSecond * seconds)).toBeGreaterThan(0.85);
      expect(refused / (answered + refused)).toBeLessThan(0.05);
      const settled = client.rates.filter(({ atMs }) => atMs > seconds * 500);
      const mean = settled.reduce((sum, each) => sum + each.perSecond, 0) / settled.length;
      expect(mean / perSecond).toBeGreaterThan(0.85);
      expect(mean / perSecond, 'it does not settle above the limit').toBeLessThan(1.15);
      const swings = settled.map((each) => Math.abs(each.perSecond / mean - 1)).toSorted((a, b) => a - b);
      expect(swings[Math.floor(0.95 * swings.length)]).toBeLessThan(0.3);
      expect(client.rate.limit).toBeGreaterThan(0.75 * perSecond);
      expect(client.rate.limit).toBeLessThan(1.25 * perSecond);
    }),
    { numRuns: 40 },
  );
});

test('after a limit is lifted, the rate comes back to the maximum within five minutes', () => {
  fc.assert(
    fc.property(LIMITS, ({ perSecond, burst, latencyMs, seed }) => {
      const [time, bucket] = [new Timeline(), new LeakyBucket(perSecond, burst)];
      const ask = limitedBy(time, bucket, latencyMs, seed);
      const client = new SimulatedClient(time, { maxConcurrency: 16, maxRps: MAX_RPS, ask });
      time.runTo(60_000);
      bucket.rate = 1e6;
      time.runTo(360_000);
      expect(client.rate).toMatchObject({ perSecond: MAX_RPS, limit: undefined });
    }),
    { numRuns: 15 },
  );
});

test.each([
  ['begin together', 0, 30, 5],
  ['begin one after the other', 60_000, 30, 20],
])(
  'two clients that share a limit and %s come to parts of which neither is twice the other',
  (_how, laterMs, perSecond, burst) => {
    const ratios = Array.from({ length: 20 }, (_, seed) => {
      const [time, bucket] = [new Timeline(), new LeakyBucket(perSecond, burst)];
      const client = (drawn: number) =>
        new SimulatedClient(time, {
          maxConcurrency: 16,
          maxRps: MAX_RPS,
          ask: limitedBy(time, bucket, 80, drawn),
        });
      const first = client(seed);
      time.runTo(laterMs);
      const second = client(seed + 100);
      time.runTo(laterMs + 60_000);
      const before = [first.counts.answered, second.counts.answered] as const;
      time.runTo(laterMs + 120_000);
      const [one, other] = [first.counts.answered - before[0], second.counts.answered - before[1]];
      return Math.max(one, other) / Math.min(one, other);
    }).toSorted((a, b) => a - b);
    expect(ratios[10], 'the median').toBeLessThan(1.5);
    expect(ratios[16], 'all but a few').toBeLessThan(2);
  },
);

test('what was found in an earlier run is where the next one begins', () => {
  expect(startRate(MAX_RPS, 30)).toMatchObject({ perSecond: 30, limit: 30 });
  // The owner allows less than the shop does.
  expect(startRate(10, 30)).toMatchObject({ perSecond: 10, limit: undefined });
});

test('what is said of requests that were under way at a decrease changes neither the rate nor how often it decreased', () => {
  const attempt = (number: number, lastStarted: number) => {
    const startedMs = number * 10;
    return { number, startedMs, endedMs: startedMs + 100, lastStarted, waited: true };
  };
  const once = afterRefusal(startRate(MAX_RPS), attempt(8, 12));
  const again = afterRefusal(once, attempt(9, 12));
  expect([again.perSecond, again.inRow]).toEqual([once.perSecond, 1]);
  expect(afterAnswer(once, attempt(10, 12), MAX_RPS).inRow).toBe(1);
  expect(afterAnswer(once, attempt(13, 13), MAX_RPS).inRow).toBe(0);
});
