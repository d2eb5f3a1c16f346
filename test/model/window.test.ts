import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { byTime, EVER, isBefore, isInWindow } from '../../src/model/window.ts';

const { PlainDateTime } = Temporal;

/** Times far apart and close together, at the ends of months and beyond the millisecond. */
const time = fc
  .tuple(
    fc.constantFrom(1, 99, 1969, 1970, 2023, 2024, 2026, 9999),
    fc.integer({ min: 1, max: 12 }),
    fc.constantFrom(1, 2, 28, 29, 30, 31),
    fc.constantFrom(0, 1, 23),
    fc.constantFrom(0, 59),
    fc.constantFrom(0, 59),
    fc.constantFrom(0, 999),
    fc.constantFrom(0, 1),
  )
  .map(([year, month, day, hour, minute, second, millisecond, nanosecond]) =>
    PlainDateTime.from({ year, month, day, hour, minute, second, millisecond, nanosecond }),
  );

test('times are ordered as Temporal orders them', () => {
  fc.assert(
    fc.property(time, time, (one, other) => {
      const expected = PlainDateTime.compare(one, other);
      expect(Math.sign(byTime(one, other))).toBe(expected);
      // The second comparison goes by what the first one learned.
      expect(Math.sign(byTime(other, one))).toBe(expected === 0 ? 0 : -expected);
      expect(byTime(one, PlainDateTime.from(one))).toBe(0);
      expect(isBefore(one, other)).toBe(expected < 0);
    }),
    { seed: 3, numRuns: 2000 },
  );
});

test('a window holds its beginning and not its end; beyond an open end everything lies in it', () => {
  const [from, to] = [PlainDateTime.from('2026-03-01T00:00'), PlainDateTime.from('2026-03-02T00:00')];
  expect(isInWindow({ from, to }, PlainDateTime.from(from))).toBe(true);
  expect(isInWindow({ from, to }, PlainDateTime.from(to))).toBe(false);
  const beyond = [PlainDateTime.from('0000-01-01T00:00'), PlainDateTime.from('+010000-01-01T00:00')];
  expect(beyond.map((each) => isInWindow(EVER, each))).toEqual([true, true]);
});
