import { describe, expect, test } from 'vitest';

import type { Rhythm } from '../../../src/model/alert-facts.ts';
import { findSilence, type HourCount, LEARNED_DAYS, learnRhythm } from '../../../src/plan/alerts/silence.ts';
import { IS_LONG } from '../../support/long.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Monday. */
const START = Date.UTC(2026, 8, 7);
const JUDGED_DAYS = 90;
const BY_HOUR = [
  2, 1, 0.6, 0.4, 0.4, 0.6, 1.2, 2.5, 4, 6, 7, 7.2, 7, 6.5, 6.2, 6, 6, 6.2, 6.8, 7.5, 8, 7.5, 5.5, 3.5,
];
const ALL_WEEK = [1.15, 1.1, 1.05, 1.05, 1, 0.8, 0.85];
const WEEKDAYS_ONLY = [1.3, 1.4, 1.4, 1.4, 1.4, 0.1, 0];

type Shop = {
  readonly seed: number;
  readonly perDay: number;
  readonly week: readonly number[];
  /** When its checkout breaks. @default never */
  readonly brokenMs?: number;
};

function random(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Knuth's method, in parts that do not underflow. */
function poisson(mean: number, next: () => number): number {
  let [count, left] = [0, mean];
  for (; left > 0; left -= 500) {
    const limit = Math.exp(-Math.min(left, 500));
    for (let product = next(); product > limit; product *= next()) count++;
  }
  return count;
}

/** What a day brings beside its weekday: campaigns, bad days, two holidays of a day, and ten days of winter holidays. */
function dayLevel(day: number, next: () => number): number {
  const noise = 0.7 + 0.6 * next();
  if (day >= LEARNED_DAYS + 40 && day < LEARNED_DAYS + 50) return 0.25 * noise;
  if ([LEARNED_DAYS + 12, LEARNED_DAYS + 70].includes(day)) return 0.15 * noise;
  return day % 37 === 5 ? 3 * noise : noise;
}

/** The times of a shop's orders, as milliseconds of its clock, ascending. */
function orderTimes({ seed, perDay, week, brokenMs = Infinity }: Shop): readonly number[] {
  const next = random(seed);
  const total = BY_HOUR.reduce((sum, weight) => sum + weight, 0);
  const times: number[] = [];
  for (let day = 0; day < LEARNED_DAYS + JUDGED_DAYS; day++) {
    const ofDay = perDay * (week[day % 7] ?? 1) * dayLevel(day, next);
    for (const [hour, weight] of BY_HOUR.entries()) {
      const begin = START + day * DAY + hour * HOUR;
      const count = poisson((ofDay * weight) / total, next);
      const own = Array.from({ length: count }, () => begin + Math.floor(next() * HOUR));
      times.push(...own.toSorted((a, b) => a - b));
    }
  }
  return times.filter((time) => time < brokenMs);
}

function countByHour(times: readonly number[]): readonly HourCount[] {
  const byHour = Map.groupBy(times, (time) => time - (time % HOUR));
  return [...byHour].map(([hourMs, { length: orders }]) => ({ hourMs, orders }));
}

function learn(counts: readonly HourCount[], midnight: number): Rhythm | undefined {
  const from = midnight - LEARNED_DAYS * DAY;
  return learnRhythm(
    counts.filter(({ hourMs }) => hourMs >= from && hourMs < midnight),
    from,
  );
}

/** Judges a shop every quarter of an hour for 90 days, as a worker would, and returns when it was first told of. */
function firstAlert(shop: Shop): number | undefined {
  const times = orderTimes(shop);
  const counts = countByHour(times);
  let at = 0;
  for (let day = LEARNED_DAYS; day < LEARNED_DAYS + JUDGED_DAYS; day++) {
    const midnight = START + day * DAY;
    const last = counts.findLast(({ hourMs }) => hourMs < midnight)?.hourMs ?? midnight;
    const rhythm = learn(counts, last - (last % DAY));
    if (rhythm === undefined) continue;
    for (let knownUntilMs = midnight; knownUntilMs < midnight + DAY; knownUntilMs += HOUR / 4) {
      while ((times[at + 1] ?? Infinity) <= knownUntilMs) at++;
      const facts = { rhythm, lastOrderMs: times[at] ?? 0, thirtiethMs: times[at - 29], knownUntilMs };
      if (findSilence(facts)) return knownUntilMs;
    }
  }
  return undefined;
}

const SIZES = [
  { perDay: 1, foundWithinHours: 45 * 24 },
  { perDay: 5, foundWithinHours: 12 * 24 },
  { perDay: 20, foundWithinHours: 4 * 24 },
  { perDay: 100, foundWithinHours: 36 },
  { perDay: 1000, foundWithinHours: 6 },
];
const SEEDS = Array.from({ length: IS_LONG ? 12 : 3 }, (_, index) => index + 1);
/** Shops of a thousand orders a day take as long as all the others. */
const FEW = SEEDS.slice(0, IS_LONG ? 4 : 1);

test.for(SIZES)('a shop of $perDay orders a day raises no false alert in 90 days', ({ perDay }) => {
  const seeds = perDay > 500 ? FEW : SEEDS;
  const shops = seeds.flatMap((seed) => [ALL_WEEK, WEEKDAYS_ONLY].map((week) => ({ seed, perDay, week })));
  const told = shops.filter((shop) => firstAlert(shop) !== undefined);
  expect(told).toEqual([]);
});

test.for(SIZES)(
  'a shop of $perDay orders a day that falls silent is found',
  ({ perDay, foundWithinHours }) => {
    // On a Tuesday, at ten.
    const brokenMs = START + (LEARNED_DAYS + 15) * DAY + 10 * HOUR;
    for (const seed of FEW) {
      for (const week of [ALL_WEEK, WEEKDAYS_ONLY]) {
        const found = firstAlert({ seed, perDay, week, brokenMs });
        const hours = ((found ?? Infinity) - brokenMs) / HOUR;
        expect(hours).toBeGreaterThan(0);
        expect(hours).toBeLessThanOrEqual(foundWithinHours);
      }
    }
  },
);

test('nothing is usual in a shop with few orders, and one that opened lately', () => {
  const hours = (days: number, from = 0) =>
    Array.from({ length: days }, (_, day) => ({ hourMs: START + (from + day) * DAY, orders: 1 }));
  expect(learnRhythm(hours(29), START)).toBeUndefined();
  expect(
    learnRhythm(
      hours(28, 28).map((each) => ({ ...each, orders: 9 })),
      START,
    ),
  ).toBeUndefined();
  expect(learnRhythm(hours(56), START)).toMatchObject({ per_week: 7, longest: 0 });
});

test('after a rush of orders a silence is judged as at any other time', () => {
  const share = (count: number) => Array.from({ length: count }, () => 1 / count);
  // An order an hour, of which a night without any is usual.
  const rhythm: Rhythm = { per_week: 168, by_weekday: share(7), by_hour: share(24), longest: 8 };
  const lastOrderMs = START + DAY;
  const after = (hours: number, rushHours: number) =>
    findSilence({
      rhythm,
      lastOrderMs,
      thirtiethMs: lastOrderMs - rushHours * HOUR,
      knownUntilMs: lastOrderMs + hours * HOUR,
    });
  for (const rushHours of [1, 10, 30]) {
    expect(after(39, rushHours)).toBeUndefined();
    expect(after(40, rushHours)?.expected).toBeCloseTo(40);
  }
  expect(after(79, 60), 'as many fewer as the last ones came slower').toBeUndefined();
  expect(after(82, 60)?.expected).toBeCloseTo(82);
});

test('an hour without an order may pass in a shop that takes hundreds', () => {
  const share = (count: number) => Array.from({ length: count }, () => 1 / count);
  const rhythm: Rhythm = { per_week: 168 * 400, by_weekday: share(7), by_hour: share(24), longest: 0 };
  const facts = { rhythm, lastOrderMs: START, thirtiethMs: undefined };
  expect(findSilence({ ...facts, knownUntilMs: START + 2 * HOUR - 1 })).toBeUndefined();
  expect(findSilence({ ...facts, knownUntilMs: START + 2 * HOUR })?.expected).toBeCloseTo(800);
});

/** So many orders in each hour of all learned days. */
const steady = (orders: number): readonly HourCount[] =>
  Array.from({ length: (LEARNED_DAYS * DAY) / HOUR }, (_, index) => ({
    hourMs: START + index * HOUR,
    orders,
  }));
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

test('a rhythm is the share of each weekday, from Monday on, and of each hour, and what was expected in its longest silence', () => {
  const isMonday = ({ hourMs }: HourCount) => Math.floor((hourMs - START) / DAY) % 7 === 0;
  const counts = steady(1).map((count) => (isMonday(count) ? { ...count, orders: 4 } : count));
  // Tuesday of the second week is a holiday.
  const open = counts.filter(({ hourMs }) => Math.floor((hourMs - START) / DAY) !== 8);
  const late = [{ hourMs: START + LEARNED_DAYS * DAY, orders: 500 }];
  const rhythm = learnRhythm([...open, ...late], START);
  const total = 8 * (6 * 24 + 4 * 24) - 24;
  expect(rhythm?.per_week).toBeCloseTo(total / 8);
  expect(rhythm?.by_weekday[0]).toBeCloseTo((8 * 4 * 24) / total);
  expect(rhythm?.by_hour).toHaveLength(24);
  expect([sum(rhythm?.by_weekday ?? []), sum(rhythm?.by_hour ?? [])].map(Math.round)).toEqual([1, 1]);
  // A usual Tuesday, of which one in eight brought nothing.
  expect(rhythm?.longest).toBeCloseTo((24 * 7) / 8);
});

test('thirty orders are enough for a rhythm, and one less is not', () => {
  const sparse = (orders: number) =>
    Array.from({ length: orders }, (_, index) => ({ hourMs: START + index * 44 * HOUR, orders: 1 }));
  expect(learnRhythm(sparse(30), START)?.per_week).toBeCloseTo(30 / 8);
  expect(learnRhythm(sparse(29), START)).toBeUndefined();
});

describe('of a shop that takes as many orders in each hour', () => {
  const flat = (perHour: number, longest = 0): Rhythm => ({
    per_week: perHour * 168,
    by_weekday: Array.from({ length: 7 }, () => 1 / 7),
    by_hour: Array.from({ length: 24 }, () => 1 / 24),
    longest,
  });
  /** For five times as many hours, which is too long when it is five times the usual. */
  const silent = (rhythm: Rhythm, hours: number, lastOrderMs = START) =>
    findSilence({
      rhythm,
      lastOrderMs,
      thirtiethMs: undefined,
      knownUntilMs: lastOrderMs + 5 * hours * HOUR,
    });

  test('what is expected is counted by the minute', () => {
    const halfPast = START + HOUR / 2;
    expect(silent(flat(1), 8, halfPast)?.expected).toBeCloseTo(40);
    expect(silent(flat(1), 8.25, halfPast)?.expected).toBeCloseTo(41.25);
  });

  test('a busy one may be silent for longer, as for a holiday', () => {
    // 67 orders a day: 5.67 that were to be expected are usual, not 5 as in a small one.
    expect(silent(flat(2.8), 2)).toBeUndefined();
    expect(silent(flat(2.8), 2.1)).toBeDefined();
  });

  test('as long as it has been silent before is not too long', () => {
    expect(silent(flat(1, 12), 11)).toBeUndefined();
    expect(silent(flat(1, 12), 12)).toBeDefined();
    expect(silent(flat(1, 99), 15), 'but for days').toBeDefined();
  });
});

test('a silence that lasts is no usual one', () => {
  const until = START + (LEARNED_DAYS - 7) * DAY;
  const ended = steady(1).filter(({ hourMs }) => hourMs < until);
  expect(learnRhythm(ended, START)?.longest).toBe(0);
});
