/** The rate against a server that refuses what is too much, in simulated time. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { afterAnswer, afterRefusal, type Rate, startRate } from '../../../src/http/pace/rate.ts';
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
  for (const found of [10, 30])
    expect(startRate(10, found)).toMatchObject({ perSecond: 10, limit: undefined });
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

describe('after a refusal', () => {
  const refusal = (number: number, startedMs: number) => ({
    number,
    startedMs,
    endedMs: startedMs + 2,
    lastStarted: number + 2,
    waited: true,
  });
  const first = afterRefusal(startRate(MAX_RPS), refusal(10, 1000));
  const second = afterRefusal(first, refusal(12, 1010));

  test('of a server whose limit is not known, the rate is a part of what was asked for, and pauses for two requests', () => {
    expect(first).toMatchObject({ perSecond: 4, limit: undefined, nextAtMs: 1502, inRow: 1 });
    const decreased = (recent: Rate['recent'], inRow = 0) =>
      afterRefusal({ ...startRate(MAX_RPS), recent, inRow }, refusal(10, 1000)).perSecond;
    expect(decreased({ perSecond: 20, atMs: 10_000, sinceMs: 0 })).toBeCloseTo(8);
    expect(decreased({ perSecond: 20, atMs: 500, sinceMs: 50 }), 'before long').toBeCloseTo(12.656);
    expect(decreased({ perSecond: 90, atMs: 10_000, sinceMs: 0 }), 'more than allowed').toBeCloseTo(20);
    expect(decreased({ perSecond: 20, atMs: 10_000, sinceMs: 0 }, 1), 'once more').toBeCloseTo(20);
    const slow = afterRefusal({ ...startRate(MAX_RPS), perSecond: 0.2, inRow: 1 }, refusal(10, 1000));
    expect(slow).toMatchObject({ perSecond: 0.1, nextAtMs: 11_002 });
    const waiting = afterRefusal({ ...startRate(MAX_RPS), nextAtMs: 9000 }, refusal(10, 1000));
    expect(waiting.nextAtMs).toBe(9000);
  });

  test('the limit is what was accepted since the first one', () => {
    // Ten of twelve, in two seconds.
    const measured = afterRefusal(second, refusal(22, 3000));
    expect(measured).toMatchObject({ limit: 5, inRow: 2 });
    expect(measured.perSecond).toBeCloseTo(3.2);
    expect(measured.nextAtMs).toBe(3627);
    const after = (rate: Rate, number: number, startedMs: number) => {
      const { limit, perSecond } = afterRefusal(rate, refusal(number, startedMs));
      return [limit && Math.round(limit * 1e3), Math.round(perSecond * 1e3)];
    };
    expect(after(second, 16, 3000)).toEqual([2828, 3111]);
    // Too few, or in no time.
    expect(after(second, 15, 3000)).toEqual([undefined, 1600]);
    expect(after(second, 22, 1000)).toEqual([undefined, 1600]);
    // A late refusal of one before the first says nothing of what came since.
    expect(after(afterRefusal(second, refusal(9, 990)), 22, 3000)).toEqual([5000, 3200]);
    // Where much more is asked for, the bucket ran over meanwhile.
    expect(after({ ...second, perSecond: 20 }, 22, 3000)).toEqual([10_000, 11_000]);
    expect(after({ ...second, perSecond: 7.5 }, 22, 3000)).toEqual([5000, 5500]);
  });

  test('accepted requests are counted from another one after sixty', () => {
    const since = (number: number) => afterRefusal(second, refusal(number, 3000)).anchor;
    expect([72, 73].map((number) => since(number)?.number)).toEqual([10, 73]);
    expect(since(73)).toEqual({ number: 73, atMs: 3000, refused: 0 });
  });

  test('of a known limit, a fifth is taken off, and more after several in a row', () => {
    const known = (perSecond: number, inRow: number) =>
      afterRefusal({ ...startRate(MAX_RPS, 30), perSecond, inRow }, refusal(10, 1000));
    expect(known(30, 0)).toMatchObject({ perSecond: 24, limit: 30 });
    expect(known(50, 0).perSecond, 'no more than the limit and a tenth').toBeCloseTo(33);
    expect([known(30, 2), known(30, 3)].map(({ perSecond }) => perSecond)).toEqual([24, 12]);
  });
});

describe('an answer to a request that waited for its turn', () => {
  const known = { ...startRate(MAX_RPS, 20), decreasedAtMs: 1000 };
  const grown = (rate: Partial<Rate>, endedMs: number, sinceMs: number) => {
    const state = { ...known, grownAtMs: sinceMs, ...rate };
    const attempt = { number: 1, startedMs: 0, endedMs, lastStarted: 1, waited: true };
    const next = afterAnswer(state, attempt, MAX_RPS);
    expect(next.grownAtMs).toBe(endedMs);
    expect(afterAnswer(state, { ...attempt, waited: false }, MAX_RPS).perSecond).toBe(state.perSecond);
    return Math.log(next.perSecond / state.perSecond);
  };

  test('lets the rate grow by the time since the last one, a second at the most, fast where no limit is known', () => {
    const unknown = { limit: undefined, perSecond: 10 };
    expect(grown(unknown, 1500, 1000)).toBeCloseTo(0.15);
    expect(grown(unknown, 9000, 1000)).toBeCloseTo(0.3);
    expect(grown(unknown, 1000, 1500)).toBe(0);
  });

  test('lets it grow slowly near the limit, and faster the longer nothing is refused', () => {
    expect(grown({ perSecond: 10 }, 2000, 1000)).toBeCloseTo(0.009 * (1 + 0.05 ** 2), 9);
    expect(grown({ perSecond: 10 }, 21_000, 20_000)).toBeCloseTo(0.018, 9);
    expect(grown({ perSecond: 0.5 }, 21_000, 20_000), 'a share of little').toBeCloseTo(0.06, 9);
    expect(grown({ perSecond: 10 }, 601_000, 600_000), 'after minutes').toBeCloseTo(0.3, 9);
  });

  test('ends the limit where all that is allowed is taken', () => {
    const answered = (perSecond: number) =>
      afterAnswer(
        { ...known, perSecond },
        { number: 1, startedMs: 0, endedMs: 21_000, lastStarted: 1, waited: true },
        MAX_RPS,
      );
    expect(answered(10).limit).toBe(20);
    expect(answered(49.9)).toMatchObject({ perSecond: MAX_RPS, limit: undefined });
  });
});
