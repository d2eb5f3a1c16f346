/** The requests in flight against a server with so many workers, in simulated time. */
import { describe, expect, test } from 'vitest';

import { Slots } from '../../../src/http/pace/slots.ts';
import { randomOf, SimulatedClient, Timeline, Workers } from './simulated-server.ts';

type ShopOptions = {
  readonly workers: number;
  readonly latencyMs: number;
  readonly seed: number;
  /** Standard deviation of the answers' times, as a share of them. */
  readonly noise?: number;
};

/** A shop of PHP workers with 25 requests of visitors a second, and a client. */
function openShop({ workers: count, latencyMs, seed, noise = 0 }: ShopOptions, maxConcurrency = 16) {
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

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const p95 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

test('in a shop of five workers visitors wait little longer, and most of its spare time is used', () => {
  const shop = { workers: 5, latencyMs: 80 };
  const seeds = [1, 2, 3, 4, 5];
  const alone = seeds.flatMap((seed) => {
    const { time, visits } = openShop({ ...shop, seed });
    time.runTo(60_000);
    return visits.map(({ ms }) => ms);
  });
  let answered = 0;
  const beside = seeds.flatMap((seed) => {
    const { time, visits, open } = openShop({ ...shop, seed });
    const client = open();
    time.runTo(10_000);
    const before = client.counts.answered;
    time.runTo(70_000);
    answered += client.counts.answered - before;
    return visits.filter(({ atMs }) => atMs > 10_000).map(({ ms }) => ms);
  });
  // Five workers serve 62.5 requests a second.
  const spare = (62.5 - 25) * 60 * seeds.length;
  expect(p95(beside) / p95(alone)).toBeLessThan(2);
  expect(answered / spare).toBeGreaterThan(0.6);
});

test('a strong shop is loaded as much as allowed within a second, and stays so', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { time, open } = openShop({ workers: 50, latencyMs: 50, seed });
    const client = open();
    time.runTo(1000);
    expect(client.slots.allowed).toBe(16);
    time.runTo(20_000);
    expect(Math.min(...client.allowed.flatMap(({ atMs, value }) => (atMs > 1000 ? [value] : [])))).toBe(16);
  }
});

test('what an earlier run found is where slow start ends', () => {
  const { time, open } = openShop({ workers: 5, latencyMs: 80, seed: 3 });
  const client = open();
  client.slots = new Slots(16, 2);
  time.runTo(5000);
  expect(Math.max(...client.allowed.map(({ value }) => value))).toBeLessThan(5);
  expect([2, 16].map((found) => new Slots(16, found).heldBackBy)).toEqual(['slowness', undefined]);
});

test('response times that differ widely do not count as slowness', () => {
  const allowedLate = [1, 2, 3, 4, 5, 6].map((seed) => {
    const { time, open } = openShop({ workers: 50, latencyMs: 50, seed, noise: 0.4 });
    const client = open();
    time.runTo(60_000);
    return mean(client.allowed.flatMap(({ atMs, value }) => (atMs > 20_000 ? [value] : [])));
  });
  expect(mean(allowedLate)).toBeGreaterThan(12);
});

describe('answers', () => {
  let nowMs = 0;
  /** Everything that is allowed is in flight, and each answer takes so long. */
  function answer(slots: Slots, count: number, tookMs: number, isLate = false, kind = 'content'): void {
    for (let answered = 0; answered < count; answered++) {
      const startedMs = nowMs;
      nowMs += tookMs;
      slots.answered({ kind, startedMs, endedMs: nowMs, inFlight: slots.allowed }, isLate);
    }
  }
  /** After slow start, of a shop that answers in 50 ms. */
  function settled(): Slots {
    const slots = new Slots(16);
    // Three round trips, and ten rounds.
    answer(slots, 2 + 4 + 8 + 10 * 64, 50);
    expect(slots.allowed).toBe(16);
    return slots;
  }

  test('that take longer while this process itself is late are ignored', () => {
    const slots = settled();
    answer(slots, 5000, 300, true);
    expect([slots.allowed, slots.heldBackBy]).toEqual([16, undefined]);
    const starting = new Slots(16);
    answer(starting, 8, 50);
    answer(starting, 200, 300, true);
    expect([starting.allowed, starting.heldBackBy]).toEqual([16, undefined]);
    // Nor do they make what is slow look fast later.
    answer(slots, 64, 100);
    expect(slots.allowed).toBe(12);
  });

  test('that take clearly longer remove a quarter of the slots a round, until the shop keeps up', () => {
    const slots = settled();
    answer(slots, 63, 100);
    expect(slots.allowed).toBe(16);
    answer(slots, 1, 100);
    expect([slots.allowed, slots.heldBackBy]).toEqual([12, 'slowness']);
    answer(slots, 64, 100);
    expect(slots.allowed).toBe(9);
    answer(slots, 64 * 8, 100);
    expect(slots.allowed).toBe(1);
    answer(slots, 64, 100);
    expect([slots.allowed, slots.heldBackBy]).toEqual([2, 'slowness']);
    answer(slots, 64 * 14, 100);
    expect([slots.allowed, slots.heldBackBy]).toEqual([16, undefined]);
  });

  test('that take clearly longer soon after the first ones count as slow', () => {
    const slots = new Slots(16);
    answer(slots, 2 + 4 + 8 + 64, 50);
    answer(slots, 64, 100);
    expect(slots.allowed).toBe(12);
  });

  test('to requests that were in flight at a change say nothing about what is allowed since', () => {
    const slots = new Slots(16);
    const answered = (count: number, startedMs: number, endedMs: number) => {
      for (let each = 0; each < count; each++)
        slots.answered({ kind: 'content', startedMs, endedMs, inFlight: slots.allowed }, false);
      return slots.allowed;
    };
    expect([answered(1, 0, 50), answered(1, 0, 50)]).toEqual([2, 4]);
    expect([answered(4, 49, 60), answered(4, 50, 100), answered(8, 100, 150)]).toEqual([4, 8, 16]);
    slots.failed({ startedMs: 150, endedMs: 200 });
    expect([answered(64, 199, 210), answered(64, 200, 250)]).toEqual([8, 9]);
  });

  test('that take a little longer, or are fast anyway, change nothing', () => {
    const slots = settled();
    answer(slots, 480, 62);
    expect(slots.allowed).toBe(16);
    const fast = new Slots(16);
    answer(fast, 500, 3);
    answer(fast, 480, 25);
    expect(fast.allowed).toBe(16);
  });

  test('to fewer requests than allowed do not raise the limit', () => {
    const slots = new Slots(16);
    for (let nowMs = 0; nowMs < 20_000; nowMs += 50)
      slots.answered({ kind: 'content', startedMs: nowMs, endedMs: nowMs + 50, inFlight: 1 }, false);
    expect(slots.allowed).toBe(2);
  });

  test('of one kind are not compared with those of another', () => {
    const slots = settled();
    answer(slots, 300, 200, false, 'user');
    expect(slots.allowed).toBe(16);
  });

  test('raise the limit again that a failure halves once for all requests in flight, down to one', () => {
    const slots = new Slots(16);
    nowMs = 0;
    answer(slots, 500, 50);
    for (const [startedMs, endedMs, allowed] of [
      [30_000, 30_050, 8],
      [30_049, 30_060, 8],
      [30_050, 30_100, 4],
      [30_100, 30_150, 2],
      [30_150, 30_200, 1],
      [30_200, 30_250, 1],
    ] as const) {
      slots.failed({ startedMs, endedMs });
      expect([slots.allowed, slots.heldBackBy]).toEqual([allowed, 'failures']);
    }
    nowMs = 30_250;
    answer(slots, 15 * 64, 50);
    expect([slots.allowed, slots.heldBackBy]).toEqual([16, undefined]);
  });
});
