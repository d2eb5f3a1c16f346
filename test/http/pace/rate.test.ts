/** The rate against a server that refuses what is too much, in simulated time. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { Rate } from '../../../src/http/pace/rate.ts';
import { type Answer, LeakyBucket, randomOf, SimulatedClient, Timeline } from './simulated-server.ts';

const MAX_RPS = 50;
type Done = (answer: Answer) => void;

const clientOf = (time: Timeline, ask: (done: Done) => void) =>
  new SimulatedClient(time, { maxConcurrency: 16, maxRps: MAX_RPS, ask });

/** A server behind a bucket: an answer takes about so long, a refusal 2 ms. */
function openServer(perSecond: number, burst: number, latencyMs: number) {
  const [time, bucket] = [new Timeline(), new LeakyBucket(perSecond, burst)];
  const open = (seed: number) => {
    const random = randomOf(seed);
    return clientOf(time, (done) =>
      time.in(latencyMs / 10, () => {
        const isTaken = bucket.takes(time.nowMs);
        const tookMs = isTaken ? latencyMs * (0.95 + 0.1 * random()) : 2;
        time.in(tookMs, () => done(isTaken ? 'answered' : 'refused'));
      }),
    );
  };
  return { time, bucket, open };
}

const LIMITS = fc.record({
  perSecond: fc.constantFrom(2, 5, 10, 30),
  burst: fc.integer({ min: 1, max: 20 }),
  latencyMs: fc.integer({ min: 10, max: 100 }),
  seed: fc.nat(10_000),
});

test('a limit is found and used: hardly anything is refused, and the rate settles near it', () => {
  fc.assert(
    fc.property(LIMITS, ({ perSecond, burst, latencyMs, seed }) => {
      const { time, open } = openServer(perSecond, burst, latencyMs);
      const client = open(seed);
      const seconds = Math.max(90, 900 / perSecond);
      time.runTo(seconds * 1000);
      const { answered, refused } = client.counts;
      // What the bucket takes at once is not the limit's.
      expect((answered - burst) / (perSecond * seconds)).toBeGreaterThan(0.9);
      expect(refused / (answered + refused)).toBeLessThan(0.06);
      const settled = client.rates.filter(({ atMs }) => atMs > seconds * 500);
      const mean = settled.reduce((sum, each) => sum + each.perSecond, 0) / settled.length;
      expect(mean / perSecond).toBeGreaterThan(0.85);
      expect(mean / perSecond, 'it does not settle above the limit').toBeLessThan(1.15);
      expect(client.rate.limit).toBeGreaterThan(0.75 * perSecond);
      expect(client.rate.limit).toBeLessThan(1.25 * perSecond);
    }),
    { numRuns: 40 },
  );
});

test('more than the maximum is never started, and a limit above it is hardly noticed', () => {
  const { time, open } = openServer(60, 1, 50);
  const client = open(1);
  time.runTo(60_000);
  expect(client.counts.answered).toBeGreaterThan(0.92 * 50 * 60);
  expect(client.counts.answered).toBeLessThanOrEqual(50 * 60);
  expect(client.counts.refused).toBeLessThan(0.05 * client.counts.answered);
});

test('after a limit is lifted, the rate comes back to the maximum within ten minutes', () => {
  fc.assert(
    fc.property(LIMITS, ({ perSecond, burst, latencyMs, seed }) => {
      const { time, bucket, open } = openServer(perSecond, burst, latencyMs);
      const client = open(seed);
      time.runTo(60_000);
      bucket.rate = 1e6;
      time.runTo(660_000);
      expect(client.rate).toMatchObject({ perSecond: MAX_RPS, limit: undefined });
    }),
    { numRuns: 15 },
  );
});

test('a shop that refuses everything for three of every six seconds gets full speed in between', () => {
  const time = new Timeline();
  const random = randomOf(1);
  const ask = (done: Done) => {
    const isRefused = time.nowMs % 6000 < 3000;
    time.in(isRefused ? 3 : 50 * (0.95 + 0.1 * random()), () => done(isRefused ? 'refused' : 'answered'));
  };
  const client = clientOf(time, ask);
  time.runTo(300_000);
  const before = client.counts.answered;
  time.runTo(600_000);
  expect((client.counts.answered - before) / 300).toBeGreaterThan(6);
  expect(client.rate.limit).toBeUndefined();
});

test('two clients that share a limit settle at rates of which neither is twice the other, as a rule', () => {
  const ratios = Array.from({ length: 20 }, (_, seed) => {
    const { time, open } = openServer(30, 5, 80);
    const clients = [open(seed), open(seed + 100)];
    time.runTo(60_000);
    const before = clients.map(({ counts }) => counts.answered);
    time.runTo(120_000);
    const answered = clients.map(({ counts }, index) => counts.answered - (before[index] ?? 0));
    return Math.max(...answered) / Math.min(...answered);
  }).toSorted((a, b) => a - b);
  expect(ratios[10], 'the median').toBeLessThan(1.5);
  expect(ratios[16], 'all but a few').toBeLessThan(2);
});

test('what was found in an earlier run is where the next one begins', () => {
  expect(new Rate(MAX_RPS, 30)).toMatchObject({ perSecond: 30, limit: 30 });
  // The owner allows less than the shop does.
  for (const found of [10, 30])
    expect(new Rate(10, found)).toMatchObject({ perSecond: 10, limit: undefined });
});

test('a start that is up to 20 ms late is made up for by the next one', () => {
  for (const [lateMs, nextAtMs] of [
    [0, 204],
    [20, 204],
    [21, 225],
  ] as const) {
    const rate = new Rate(10);
    rate.started(0);
    expect(rate.nextAtMs).toBe(102);
    rate.started(102 + lateMs);
    expect(rate.nextAtMs).toBe(nextAtMs);
  }
});

test('a shop that may be asked less than once a second is not taken for one that refuses everything', () => {
  const rate = new Rate(0.5);
  expect(rate.isBlocked).toBe(false);
  rate.answered({ startedMs: 0, endedMs: 100, waited: true });
  expect(rate.isBlocked).toBe(false);
});

describe('a refusal', () => {
  /** One that starts 20 ms after the one before it, and takes 100 ms. */
  const attempt = (number: number) => {
    const startedMs = number * 20;
    return { startedMs, endedMs: startedMs + 100, waited: true };
  };

  test('of a request that was in flight at a decrease changes nothing more', () => {
    const rate = new Rate(MAX_RPS);
    rate.refused(attempt(8));
    const { perSecond } = rate;
    rate.refused(attempt(9));
    rate.answered(attempt(10));
    // Nor does an answer for which nobody waited.
    rate.answered({ ...attempt(13), waited: false });
    expect(rate.perSecond).toBe(perSecond);
    rate.answered(attempt(13));
    expect(rate.perSecond).toBeGreaterThan(perSecond);
  });

  test('on its own is no limit: the rate halves and soon recovers', () => {
    const rate = new Rate(MAX_RPS);
    for (let number = 1; number <= 20; number++) rate.answered(attempt(number));
    rate.refused(attempt(21));
    expect([rate.perSecond, rate.limit]).toEqual([25, undefined]);
    for (let number = 26; number <= 50; number++) rate.answered(attempt(number));
    expect([rate.perSecond, rate.limit]).toEqual([MAX_RPS, undefined]);
  });

  test('shows the limit if at least five answers came since the previous one', () => {
    const rate = new Rate(MAX_RPS);
    rate.refused(attempt(1));
    for (let number = 7; number <= 10; number++) rate.answered(attempt(number));
    rate.refused(attempt(11));
    expect(rate.limit).toBeUndefined();
    for (let number = 17; number <= 21; number++) rate.answered(attempt(number));
    const reached = rate.perSecond;
    rate.refused(attempt(22));
    expect([rate.perSecond, rate.limit]).toEqual([0.85 * reached, reached]);
    rate.answered(attempt(30));
    expect(rate.perSecond).toBeCloseTo(0.85 * reached + 0.01);
    // Once it is known, the next one need not measure it again.
    rate.refused(attempt(31));
    expect(rate.limit).toBe(reached);
    expect(rate.perSecond).toBeCloseTo(0.85 * (0.85 * reached + 0.01));
  });

  test('of everything, down to one request a second, shows no limit: answers restore the earlier rate', () => {
    const rate = new Rate(MAX_RPS);
    for (let number = 1; number <= 10; number++) rate.answered(attempt(number));
    const refused = [20, 30, 40, 50, 60, 70, 80].map((number) => {
      rate.refused(attempt(number));
      return [rate.perSecond, rate.isBlocked];
    });
    expect(refused.slice(0, 3)).toEqual([25, 12.5, 6.25].map((perSecond) => [perSecond, false]));
    expect(refused.slice(5)).toEqual([1, 1].map((perSecond) => [perSecond, true]));
    const answered = [90, 100, 110].map((number) => {
      rate.answered(attempt(number));
      return rate.perSecond;
    });
    expect([...answered, rate.isBlocked, rate.limit]).toEqual([2, 4, 8, false, undefined]);
  });

  test('delays the next start by one interval', () => {
    const rate = new Rate(10);
    rate.refused(attempt(1));
    expect(rate.nextAtMs).toBe(120 + 1000 / 5);
  });
});
