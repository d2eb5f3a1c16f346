import { assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';

import { clockGaps, toPlain, toSeconds } from '../../../src/simulator/shop/shop-clock.ts';
import { orderTimes } from '../../../src/simulator/shop/timeline.ts';

const noon = toSeconds(Temporal.PlainDateTime.from('2025-03-29T12:00'));

test('any span gets the given number of times, sorted and inside it', () => {
  assert(
    property(
      integer({ min: 1, max: 200_000 }),
      integer({ min: 0, max: 300 }),
      integer(),
      (length, count, seed) => {
        const span = { from: noon, to: noon + length };
        const times = orderTimes(seed, count, span, []);
        expect(times).toHaveLength(count);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect(times.every((time) => time >= span.from && time < span.to)).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

test.each([
  ['Europe/Berlin', '2025-03-29T12:00', '2025-03-30T02:00', '2025-03-30T03:00'],
  ['Australia/Lord_Howe', '2025-10-04T12:00', '2025-10-05T02:00', '2025-10-05T02:30'],
])(
  'nobody in %s orders while the clocks skip, and the time around it is used',
  (zone, start, skipFrom, skipTo) => {
    const [from, gapFrom, gapTo] = [start, skipFrom, skipTo].map((text) =>
      toSeconds(Temporal.PlainDateTime.from(text)),
    ) as [number, number, number];
    const span = { from, to: from + 86_400 };
    const gaps = clockGaps(span.from, span.to, zone);
    expect(gaps.map((gap) => toPlain(gap.from).toString())).toEqual([`${skipFrom}:00`]);
    const times = orderTimes(1, 20_000, span, gaps);
    expect(times).toHaveLength(20_000);
    expect(times.filter((time) => time >= gapFrom && time < gapTo)).toEqual([]);
    expect(times.some((time) => time >= gapTo && time < gapTo + 1800)).toBe(true);
  },
);
