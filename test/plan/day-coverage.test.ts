import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { cover, type DayCoverage, daysOf } from '../../src/plan/day-coverage.ts';
import type { Window } from '../../src/plan/window-plan.ts';

const time = (text: string) => Temporal.PlainDateTime.from(text);
const window = (from: string, to: string): Window => ({ from: time(from), to: time(to) });
const noon = Temporal.Instant.from('2026-03-05T12:00:00Z');

test.each([
  ['2026-03-01T00:00', '2026-03-02T00:00', ['2026-03-01']],
  ['2026-03-01T23:59', '2026-03-02T00:00', ['2026-03-01']],
  ['2026-03-01T23:59', '2026-03-02T00:01', ['2026-03-01', '2026-03-02']],
  ['2026-02-27T12:00', '2026-03-02T00:00', ['2026-02-27', '2026-02-28', '2026-03-01']],
  ['2025-12-31T00:00', '2026-01-01T12:00', ['2025-12-31', '2026-01-01']],
])('the window from %s to %s touches its days, and not the one that begins at its end', (from, to, days) => {
  expect(daysOf(window(from, to)).map(String)).toEqual(days);
});

test('a day is not complete while a minute of it is missing', () => {
  const almost = cover(new Map(), window('2026-03-01T00:01', '2026-03-02T00:00'), new Map(), noon);
  expect(almost.get('2026-03-01')?.minutesLeft).toBe(1);
  const whole = cover(almost, window('2026-03-01T00:00', '2026-03-01T00:01'), new Map(), noon);
  expect(whole.get('2026-03-01')?.minutesLeft).toBe(0);
});

test('what was covered before stays as it was for whoever still holds it', () => {
  const before: DayCoverage = new Map();
  cover(before, window('2026-03-01T00:00', '2026-03-02T00:00'), new Map(), noon);
  expect(before.size).toBe(0);
});

const FIRST = time('2026-03-27T00:00');
const DAYS = 5;
const MINUTES = DAYS * 24 * 60;
/** Windows that together cover five days (a change of the clock among them) once, in any order of asking. */
const anySplit = fc
  .record({
    cuts: fc.uniqueArray(fc.integer({ min: 1, max: MINUTES - 1 }), { maxLength: 25 }),
    seed: fc.array(fc.nat(1_000), { minLength: 26, maxLength: 26 }),
    orders: fc.array(fc.nat(MINUTES - 1), { maxLength: 60 }),
  })
  .map(({ cuts, seed, orders }) => {
    const ends = [...cuts.toSorted((a, b) => a - b), MINUTES];
    const parts = ends.map((to, index) => ({ from: ends[index - 1] ?? 0, to, rank: seed[index] ?? 0 }));
    return { parts: parts.toSorted((a, b) => a.rank - b.rank), orders };
  });

const dayOf = (minute: number) => FIRST.add({ minutes: minute }).toPlainDate().toString();
const countByDay = (minutes: readonly number[]) => {
  const counts = new Map<string, number>();
  for (const minute of minutes) counts.set(dayOf(minute), (counts.get(dayOf(minute)) ?? 0) + 1);
  return counts;
};

test('however days are split into windows, each is complete once, with all its orders, since the earliest asking', () => {
  fc.assert(
    fc.property(anySplit, ({ parts, orders }) => {
      let coverage: DayCoverage = new Map();
      const completed: string[] = [];
      for (const { from, to, rank } of parts) {
        const span = { from: FIRST.add({ minutes: from }), to: FIRST.add({ minutes: to }) };
        const inside = orders.filter((minute) => minute >= from && minute < to);
        coverage = cover(coverage, span, countByDay(inside), noon.add({ seconds: 1_000 - rank }));
        completed.push(
          ...daysOf(span)
            .map(String)
            .filter((day) => coverage.get(day)?.minutesLeft === 0),
        );
      }
      const days = Array.from({ length: DAYS }, (_, index) => dayOf(index * 24 * 60));
      expect(completed.toSorted()).toEqual(days);
      const counts = countByDay(orders);
      for (const [index, day] of days.entries()) {
        const touching = parts.filter(({ from, to }) => from < (index + 1) * 24 * 60 && to > index * 24 * 60);
        const earliest = Math.min(...touching.map(({ rank }) => 1_000 - rank));
        expect(coverage.get(day)).toEqual({
          minutesLeft: 0,
          orders: counts.get(day) ?? 0,
          since: noon.add({ seconds: earliest }),
        });
      }
    }),
  );
});
