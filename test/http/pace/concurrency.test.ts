/** The requests in flight against a server with so many workers, in simulated time. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  afterFailure,
  afterLatency,
  type Concurrency,
  startConcurrency,
} from '../../../src/http/pace/concurrency.ts';
import { randomOf, SimulatedClient, Timeline, Workers } from './simulated-server.ts';

type ShopOptions = {
  readonly workers: number;
  readonly latencyMs: number;
  readonly seed: number;
  /** Standard deviation of the answers' times, as a share of them. */
  readonly noise?: number;
};

/** A shop of PHP workers with 25 requests of visitors a second, and a client. */
function openShop({ workers: count, latencyMs, seed, noise = 0 }: ShopOptions, maxConcurrency: number) {
  const [time, random, chance] = [new Timeline(), randomOf(seed), randomOf(seed + 1)];
  const workers = new Workers(time, count);
  const visits: { readonly atMs: number; readonly ms: number }[] = [];
  const visit = () =>
    time.in(-Math.log(1 - random()) * 40, () => {
      const atMs = time.nowMs;
      workers.serve(latencyMs * (0.95 + 0.1 * random()), () => visits.push({ atMs, ms: time.nowMs - atMs }));
      visit();
    });
  visit();
  const normal = () => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  const drawMs = () => latencyMs * Math.exp(noise * normal() - noise ** 2 / 2) * (0.98 + 0.04 * chance());
  const ask = (done: (answer: 'answered') => void) => workers.serve(drawMs(), () => done('answered'));
  const open = () => new SimulatedClient(time, { maxConcurrency, maxRps: 1000, ask });
  return { time, visits, open };
}

const p95 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

test('in a shop of five workers visitors wait little longer, and most of its spare time is used', () => {
  const shop = { workers: 5, latencyMs: 80 };
  const seeds = [1, 2, 3, 4, 5];
  const alone = seeds.flatMap((seed) => {
    const { time, visits } = openShop({ ...shop, seed }, 16);
    time.runTo(60_000);
    return visits.map(({ ms }) => ms);
  });
  let answered = 0;
  const beside = seeds.flatMap((seed) => {
    const { time, visits, open } = openShop({ ...shop, seed }, 16);
    const client = open();
    time.runTo(10_000);
    const before = client.counts.answered;
    time.runTo(70_000);
    answered += client.counts.answered - before;
    return visits.filter(({ atMs }) => atMs > 10_000).map(({ ms }) => ms);
  });
  // Five workers serve 62.5 requests a second.
  const spare = (62.5 - 25) * 60 * seeds.length;
  expect(p95(beside) / p95(alone)).toBeLessThan(1.65);
  expect(answered / spare).toBeGreaterThan(0.55);
});

test('a strong shop is loaded as much as allowed within a second, and stays so', () => {
  const { time, open } = openShop({ workers: 50, latencyMs: 50, seed: 1 }, 16);
  const client = open();
  time.runTo(1000);
  expect(client.concurrency.allowed).toBe(16);
  time.runTo(60_000);
  expect(client.allowed.filter(({ atMs }) => atMs > 1000).every(({ value }) => value > 15)).toBe(true);
  // What checks cost included, it is what 16 in flight can do.
  expect(client.counts.answered / 60).toBeGreaterThan(0.97 * (16 / 0.05));
});

test('once settled, it does not swing by more than a quarter', () => {
  const swings = [1, 2, 3, 4, 5, 6].map((seed) => {
    const { time, open } = openShop({ workers: 5, latencyMs: 80, seed }, 16);
    const client = open();
    time.runTo(90_000);
    const late = client.allowed.filter(({ atMs }) => atMs > 30_000).map(({ value }) => value);
    const mean = late.reduce((sum, value) => sum + value, 0) / late.length;
    const apart = late.map((value) => Math.abs(value / mean - 1)).toSorted((a, b) => a - b);
    return apart[Math.floor(0.9 * apart.length)] ?? 1;
  });
  expect(Math.max(...swings)).toBeLessThan(0.3);
  expect(swings.toSorted((a, b) => a - b)[3]).toBeLessThan(0.25);
});

test('what an earlier run found is where it stops growing fast', () => {
  const { time, open } = openShop({ workers: 5, latencyMs: 80, seed: 3 }, 16);
  const client = open();
  client.concurrency = startConcurrency(16, 2);
  time.runTo(5000);
  expect(Math.max(...client.allowed.map(({ value }) => value))).toBeLessThan(3);
  expect([2, 16].map((known) => startConcurrency(16, known).heldBackBy)).toEqual(['slowness', undefined]);
});

test('answers of very different lengths do not make it slow', () => {
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const allowedLate = (seed: number) => {
    const { time, open } = openShop({ workers: 50, latencyMs: 50, seed, noise: 0.4 }, 16);
    const client = open();
    time.runTo(90_000);
    return meanOf(client.allowed.flatMap(({ atMs, value }) => (atMs > 30_000 ? [value] : [])));
  };
  fc.assert(
    fc.property(fc.nat(1000), (seed) => {
      // One client in eighty has bad luck: for this minute, it is allowed a third of what it could be.
      expect(meanOf(Array.from({ length: 4 }, (_, index) => allowedLate(seed + index)))).toBeGreaterThan(9);
    }),
    { numRuns: 3 },
  );
});

const attempt = {
  startedMs: 0,
  endedMs: 50,
  waited: false,
  inFlight: 16,
  kind: 'content',
  ownDelayMs: 0,
  lastStarted: 20,
};

/** All that is allowed is in flight, contents took 50 ms until now, and these answers come. */
function afterContents(...answers: readonly { readonly kind?: string; readonly ms: number }[]): Concurrency {
  const content = { times: Array.from({ length: 60 }, () => 50), slowMs: 60, slow: 0, inFlight: 4 };
  const known = { allowed: 16, fastTo: 8, measuredAtMs: 0, measuredAt: 16, usual: { content } };
  const begin: Concurrency = { ...startConcurrency(16), ...known };
  const next = (state: Concurrency, { kind = 'content', ms }: (typeof answers)[number], index: number) =>
    afterLatency(state, { ...attempt, kind, number: index + 1, endedMs: ms, lastStarted: 999 }, 16);
  return answers.reduce(next, begin);
}
const times = (count: number, ms: number) => Array.from({ length: count }, () => ({ ms }));

test('a kind of answers of which nothing is known hides no slowness of others', () => {
  const unknown = { kind: 'user', ms: 50 };
  expect(afterContents(unknown, unknown, ...times(40, 500)).allowed).toBeLessThan(16);
});

test('a few slow answers, which may be chance, change nothing until there are more', () => {
  const few = [...times(27, 50), ...times(5, 100)];
  expect(afterContents(...few).allowed).toBe(16);
  expect(afterContents(...few, ...few, ...few).allowed).toBeLessThan(16);
});

test('answers to fewer requests in flight than are allowed say nothing for more', () => {
  let state = startConcurrency(16);
  for (let number = 1; number < 400; number++) {
    state = afterLatency(state, { ...attempt, inFlight: 2, number, lastStarted: number }, 16);
  }
  expect(state.allowed).toBe(4);
});

test('a failure halves it once for all that were in flight, down to one, and answers bring it back', () => {
  let state: Concurrency = { ...startConcurrency(16), allowed: 9, fastTo: 0 };
  for (const [number, lastStarted, allowed] of [
    [15, 20, 4],
    [20, 25, 4],
    [21, 26, 2],
    [27, 30, 1],
    [31, 40, 1],
  ] as const) {
    state = afterFailure(state, { ...attempt, number, lastStarted });
    expect(state).toMatchObject({ allowed, heldBackBy: 'failures' });
  }
  for (let number = 41; number < 800; number++) {
    state = afterLatency(state, { ...attempt, number, lastStarted: number }, 16);
  }
  expect(state).toMatchObject({ allowed: 16, heldBackBy: undefined });
});
