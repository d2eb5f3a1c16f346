import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  followSweeps,
  DEFAULT_FRESHNESS,
  freshnessTargetMs,
  parseDurationMs,
  parseFreshness,
} from '../../../src/plan/days/freshness.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

test.each([
  ['0d:1h, *:7d', '"0d:1h" is not AGE:TARGET'],
  ['2d:1h, hunter2, *:7d', 'part no. 2 is not AGE:TARGET'],
  ['2d:5m, *:0s', '"*:0s"'],
  // Six digits are part of no rule, and may be of a secret.
  ['2d:123456, *:7d', 'part no. 1 is not'],
  ['2d:5m,, *:7d', '""'],
  ['', '""'],
  ['2:5m, *:7d', '"2:5m"'],
  ['2d:5, *:7d', '"2d:5"'],
  ['2d:5w, *:7d', '"2d:5w"'],
  ['2d:1:5m, *:7d', '"2d:1:5m"'],
  ['2d:5m:1, *:7d', '"2d:5m:1"'],
  ['2dd:5m, *:7d', 'part no. 1 is not'],
  ['d2d:5m, *:7d', '"d2d:5m"'],
  ['-2d:5m, *:7d', '"-2d:5m"'],
  ['1.5d:5m, *:7d', '"1.5d:5m"'],
  ['2d, *:7d', '"2d"'],
  ['14d:1h, 2d:5m, *:7d', '"2d:5m" is out of place'],
  ['2d:1h, 2d:5m, *:7d', '"2d:5m" is out of place'],
  ['*:7d, 2d:5m', '"2d:5m" is out of place'],
  ['2d:5m, *:7d, *:1d', '"*:1d" is out of place'],
  ['2d:5m, 14d:1h', 'the last part must be "*:TARGET"'],
])('the policy %j is refused with what is wrong in it', (text, complaint) => {
  const parse = () => parseFreshness(text);
  expect(parse).toThrow(RangeError);
  expect(parse).toThrow(complaint);
});

test('for any text the parser returns ascending rules for every age, or throws a RangeError', () => {
  const nearMiss = fc
    .array(fc.constantFrom('2d', '14d', '*', ':', ',', '5m', '1h', '0', '7d', ' ', '-'), { maxLength: 12 })
    .map((parts) => parts.join(''));
  let parsed = 0;
  fc.assert(
    fc.property(fc.oneof(nearMiss, fc.string()), (text) => {
      try {
        const policy = parseFreshness(text);
        parsed += 1;
        const ages = policy.map((rule) => rule.youngerThanDays);
        expect(ages).toEqual([...new Set(ages)].toSorted((a, b) => a - b));
        expect(ages.at(-1)).toBe(Number.POSITIVE_INFINITY);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
    { numRuns: 3_000, examples: [['*:7d'], ['2d:5m,*:7d']] },
  );
  expect(parsed).toBeGreaterThan(1);
});

test('a policy is read back as it was written, however it is spaced', () => {
  const targets = fc.record({
    count: fc.integer({ min: 1, max: 999_999 }),
    unit: fc.constantFrom('s', 'm', 'h', 'd'),
  });
  const ages = fc.uniqueArray(fc.integer({ min: 1, max: 99_999 }), { maxLength: 6 });
  const unitMs = { s: 1_000, m: MINUTE, h: HOUR, d: DAY };
  fc.assert(
    fc.property(
      ages,
      fc.array(targets, { minLength: 7, maxLength: 7 }),
      fc.constantFrom('', ' ', '  '),
      (days, given, gap) => {
        const younger = [...days.toSorted((a, b) => a - b), Number.POSITIVE_INFINITY];
        const rules = younger.map((age, index) => ({
          age,
          target: given[index] ?? { count: 1, unit: 's' as const },
        }));
        const text = rules.map(({ age, target }) => {
          return `${Number.isFinite(age) ? `${age}d` : '*'}${gap}:${gap}${target.count}${target.unit}`;
        });
        expect(parseFreshness(text.join(`${gap},${gap}`))).toEqual(
          rules.map(({ age, target }) => ({
            youngerThanDays: age,
            targetMs: target.count * unitMs[target.unit],
          })),
        );
      },
    ),
  );
});

test.each([
  [-3, MINUTE],
  [0, MINUTE],
  [1, MINUTE],
  [2, HOUR],
  [13, HOUR],
  [14, 6 * HOUR],
  [59, 6 * HOUR],
  [60, DAY],
  [399, DAY],
  [400, 7 * DAY],
  [9_999, 7 * DAY],
])('by default a day of age %i is verified at least every %i ms', (age, targetMs) => {
  expect(freshnessTargetMs(parseFreshness(DEFAULT_FRESHNESS), age)).toBe(targetMs);
});

test.each([
  ['90s', 90_000],
  [' 5m ', 5 * MINUTE],
  ['6 h', 6 * HOUR],
  ['7d', 7 * DAY],
  ['0s', 0],
  ['', undefined],
  ['5', undefined],
  ['m', undefined],
  ['5M', undefined],
  ['-5m', undefined],
  ['1.5h', undefined],
  ['1e3s', undefined],
  ['1234567s', undefined],
  ['5m 5m', undefined],
  ['5constructor', undefined],
])('the duration %j is %s ms', (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

test('without a worker, targets adapt to how often the shop is swept, within a few sweeps', () => {
  const policy = parseFreshness('2d:1m, *:7d');
  const HOUR = 3_600_000;
  let now = Temporal.Instant.from('2026-03-10T12:00:00Z');
  let last = { policy: followSweeps(policy, undefined, now), beganAt: now };
  expect(freshnessTargetMs(last.policy, 0)).toBe(24 * HOUR);
  const sweepAfter = (ms: number) => {
    now = now.add({ milliseconds: ms });
    last = { policy: followSweeps(policy, last, now), beganAt: now };
    return freshnessTargetMs(last.policy, 0);
  };
  expect(sweepAfter(10_000)).toBe(12 * HOUR);
  for (let sweeps = 0; sweeps < 5; sweeps += 1) sweepAfter(HOUR);
  expect(sweepAfter(HOUR)).toBe(HOUR);
  expect(freshnessTargetMs(last.policy, 400)).toBe(168 * HOUR);
  expect(sweepAfter(1000 * HOUR)).toBe(168 * HOUR);
});

test('such a target is a whole number of seconds, whatever the time between two sweeps', () => {
  const policy = parseFreshness('2d:1m, *:7d');
  let now = Temporal.Instant.from('2026-03-10T12:00:00Z');
  let last = { policy: followSweeps(policy, undefined, now), beganAt: now };
  for (let sweeps = 1; sweeps < 20; sweeps += 1) {
    now = now.add({ milliseconds: 61_234, microseconds: 567, nanoseconds: 89 * sweeps });
    last = { policy: followSweeps(policy, last, now), beganAt: now };
    const targetMs = freshnessTargetMs(last.policy, 0);
    expect(targetMs % 1000, `after ${sweeps}`).toBe(0);
    now.subtract({ milliseconds: targetMs });
  }
  expect(freshnessTargetMs(last.policy, 0)).toBe(62_000);
});
