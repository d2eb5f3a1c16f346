/** How often a shop that takes orders at random is said to be silent, and how soon one whose checkout broke. */
import { expect, test } from 'vitest';

import type { Silence } from '../../../src/model/alert-facts.ts';
import { IS_LONG } from '../../support/long.ts';
import { isSilent } from './healthy-shop.ts';
import { silenceOf } from './usual-orders.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Monday. */
const START = Date.UTC(2026, 8, 7);
const USUAL_DAYS = 56;
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
  if (day >= USUAL_DAYS + 40 && day < USUAL_DAYS + 50) return 0.25 * noise;
  if ([USUAL_DAYS + 12, USUAL_DAYS + 70].includes(day)) return 0.15 * noise;
  return day % 37 === 5 ? 3 * noise : noise;
}

/** The times of a shop's orders, as milliseconds of its clock, ascending. */
function orderTimes({ seed, perDay, week, brokenMs = Infinity }: Shop): readonly number[] {
  const next = random(seed);
  const total = BY_HOUR.reduce((sum, weight) => sum + weight, 0);
  const times: number[] = [];
  for (let day = 0; day < USUAL_DAYS + JUDGED_DAYS; day++) {
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

/** Judges a shop every quarter of an hour for 90 days, as a worker would, and returns when it was first told of. */
function firstAlert(shop: Shop): number | undefined {
  const times = orderTimes(shop);
  const read = silenceOf(times);
  const [from, to] = [START + USUAL_DAYS * DAY, START + (USUAL_DAYS + JUDGED_DAYS) * DAY];
  for (let knownMs = from; knownMs < to; knownMs += HOUR / 4) {
    const silence: Silence | undefined = read(knownMs);
    if (silence && isSilent(silence)) return knownMs;
  }
  return undefined;
}

const SIZES = [
  { perDay: 1, foundWithinHours: 45 * 24 },
  { perDay: 5, foundWithinHours: 13 * 24 },
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
    const brokenMs = START + (USUAL_DAYS + 15) * DAY + 10 * HOUR;
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
