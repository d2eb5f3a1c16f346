import { expect, test } from 'vitest';

import {
  type Asked,
  datesFor,
  FARTHEST,
  farther,
  type KnownOrders,
  knowsFarthest,
  nearer,
  NEAREST,
  type Reach,
} from '../../../src/shop-api/paging/asked-dates.ts';
import { asked, knownAt, local } from './read-one.ts';

const DAY = asked('2026-03-10T00:00', '2026-03-11T00:00');
const BOTH = { below: true, above: true };

async function datesOf(of: Asked, known: KnownOrders, reach: Reach = NEAREST): Promise<string> {
  const { from, to } = await datesFor(of, known, reach);
  const text = (time: Temporal.PlainDateTime | undefined) =>
    time?.toString({ smallestUnit: 'minute' }) ?? 'open';
  return `${text(from)} to ${text(to)}`;
}

test('a window is asked for up to the second known order beyond each end, and a minute more', async () => {
  const known = knownAt(
    '2026-03-09T08:00',
    '2026-03-09T07:00',
    '2026-03-09T06:00',
    '2026-03-11T00:00',
    '2026-03-11T09:00',
  );
  expect(await datesOf(DAY, known)).toBe('2026-03-09T06:59 to 2026-03-11T09:01');
  expect(await datesOf(DAY, knownAt('2026-03-09T08:00', '2026-03-11T09:00'))).toBe(
    '2026-03-09T07:59 to 2026-03-11T09:01',
  );
});

test('where nothing is known beyond, all is asked along, unless it is read later by itself', async () => {
  expect(await datesOf(DAY, knownAt())).toBe('2026-03-09T23:00 to open');
  expect(await datesOf({ ...DAY, lowest: DAY.window.from }, knownAt())).toBe('open to open');
});

test('a known order that is far off may have any number of unknown ones before it', async () => {
  const known = knownAt('2026-01-01T08:00', '2026-06-01T08:00');
  expect(await datesOf(DAY, known)).toBe('2026-03-09T23:00 to 2026-03-11T01:00');
});

test('an open end of a window stays open', async () => {
  const known = knownAt('2026-01-01T08:00', '2026-03-12T08:00');
  expect(await datesOf(asked(undefined, '2026-03-11T00:00'), known)).toBe('open to 2026-03-12T08:01');
  expect(await datesOf(asked('2026-01-01T12:00', undefined), known)).toBe('2026-01-01T07:59 to open');
});

test('what was not reached is asked for farther: by days, up to known orders, without an end, and then by more days', async () => {
  const many = Array.from({ length: 30 }, (_, index) => local('2026-03-09T08:00').subtract({ hours: index }));
  const known = knownAt(...many.map(String), '2026-05-01T08:00');
  const steps: string[] = [];
  for (let reach: Reach | undefined = NEAREST; reach; reach = farther(reach, BOTH)) {
    steps.push(await datesOf(DAY, known, reach));
  }
  expect(steps).toEqual([
    '2026-03-09T06:59 to 2026-03-11T01:00',
    '2026-03-07T06:59 to 2026-03-13T01:00',
    '2026-03-08T12:59 to 2026-05-01T08:01',
    'open to open',
    '2026-03-08T00:00 to 2026-03-13T00:00',
    '2026-03-02T00:00 to 2026-03-19T00:00',
    '2026-02-06T00:00 to 2026-04-12T00:00',
    '2025-11-02T00:00 to 2026-07-17T00:00',
    '2024-10-14T00:00 to 2027-08-05T00:00',
    '2020-07-31T00:00 to 2031-10-19T00:00',
  ]);
});

test('only the sides that were not reached are asked for farther', () => {
  expect(farther(NEAREST, { below: true, above: false })).toEqual({ below: 1, above: 0 });
  expect(farther({ below: 3, above: 1 }, { below: false, above: true })).toEqual({ below: 3, above: 2 });
});

test('an answer that was too large is asked for again with the far ends nearer, and no end twice', async () => {
  const known = knownAt();
  const open = await datesFor(DAY, known, NEAREST);
  const closer = nearer(open, DAY.window, NEAREST);
  expect(closer).toEqual({ below: 0, above: 4 });
  if (closer === undefined) return;
  expect(await datesOf(DAY, known, closer)).toBe('2026-03-09T23:00 to 2026-03-13T00:00');
  expect(nearer(await datesFor(DAY, known, closer), DAY.window, closer)).toBeUndefined();
  const far = { below: 2, above: 2 };
  expect(nearer(await datesFor(DAY, knownAt('2020-01-01T00:00'), far), DAY.window, far)).toEqual({
    below: 4,
    above: 4,
  });
});

test('where an answer was too large, the orders that it showed beyond a window are asked for, and not all of two days', async () => {
  const shown = ['2026-03-08T23:40', '2026-03-09T23:58', '2026-03-09T23:51', '2026-03-11T03:00'].map(local);
  const far = { below: 1, above: 0 };
  expect(await datesFor(DAY, knownAt(), far, shown)).toEqual(await datesFor(DAY, knownAt(), far));
  const closer = nearer(await datesFor(DAY, knownAt(), far), DAY.window, far, shown);
  expect(closer).toEqual({ below: 4, above: 4 });
  if (closer === undefined) return;
  const { from, to } = await datesFor(DAY, knownAt(), closer, shown);
  expect([from, to].join(' to ')).toBe('2026-03-09T23:50:00 to 2026-03-13T00:00:00');
  const both = await datesFor(DAY, knownAt(), closer, [...shown, DAY.window.to]);
  expect(both.to?.toString(), 'an order at the end lies beyond it').toBe('2026-03-11T03:01:00');
  expect(nearer({ from, to }, DAY.window, closer, shown)).toBeUndefined();
});

test('after the last step of one side, nothing is farther', () => {
  const steps = (side: { below: boolean; above: boolean }) => {
    let count = 0;
    for (let reach: Reach | undefined = NEAREST; reach; reach = farther(reach, side)) count++;
    return count;
  };
  expect([steps({ below: true, above: false }), steps({ below: false, above: true })]).toEqual([10, 10]);
});

test('an order two days off is near, whatever the length of the window; farther off, half that length is', async () => {
  const hour = asked('2026-03-10T08:00', '2026-03-10T09:00');
  expect(await datesOf(hour, knownAt('2026-03-08T08:00', '2026-03-12T09:00'))).toBe(
    '2026-03-08T07:59 to 2026-03-12T09:01',
  );
  expect(await datesOf(hour, knownAt('2026-03-08T07:59', '2026-03-12T09:01'))).toBe(
    '2026-03-10T07:00 to 2026-03-10T10:00',
  );
  const weeks = asked('2026-03-01T00:00', '2026-03-21T00:00');
  expect(await datesOf(weeks, knownAt('2026-02-19T00:00', '2026-03-31T00:00'))).toBe(
    '2026-02-18T23:59 to 2026-03-31T00:01',
  );
});

test('far dates are known to be answered where each that is asked for was', () => {
  const { from, to } = FARTHEST;
  expect(knowsFarthest(undefined)).toBe(false);
  expect(knowsFarthest({ from, to })).toBe(true);
  expect(knowsFarthest({ from })).toBe(false);
  expect(knowsFarthest({ to })).toBe(false);
  expect(knowsFarthest({ from }, { from })).toBe(true);
  expect(knowsFarthest({ to }, { from })).toBe(false);
  expect(knowsFarthest({ to }, { to })).toBe(true);
  expect(knowsFarthest(undefined, { to })).toBe(false);
  expect(knowsFarthest(undefined, {})).toBe(true);
});

test('what the shop fails at bounds the dates, where they would reach as far', async () => {
  const known = knownAt('2026-03-09T08:00', '2026-03-11T09:00');
  const bounded = (from: string, to: string) =>
    datesOf({ ...DAY, bounds: { from: local(from), to: local(to) } }, known);
  expect(await bounded('2026-03-09T12:00', '2026-03-11T03:00')).toBe('2026-03-09T12:00 to 2026-03-11T03:00');
  expect(await bounded('2026-03-09T07:00', '2026-03-11T10:00')).toBe('2026-03-09T07:59 to 2026-03-11T09:01');
  const open = {
    ...asked(undefined, undefined),
    bounds: { from: local('2026-03-01'), to: local('2026-03-20') },
  };
  expect(await datesOf(open, known)).toBe('2026-03-01T00:00 to 2026-03-20T00:00');
});

test.each<[number, number, boolean]>([
  // Near: no date is far, whatever was shown.
  [0, 3, false],
  // Two days farther is far where two orders were shown on the way.
  [1, 1, false],
  [1, 2, true],
  // Known orders however far, and no date at all.
  [2, 0, true],
  [3, 0, true],
  // So many days were chosen for being near enough.
  [4, 0, false],
])(
  'after an answer that was too large, step %i is set nearer if %i orders were shown: %s',
  async (step, orders, isNearer) => {
    const known = knownAt('2026-03-09T08:00', '2026-03-11T09:00');
    const below = Array.from({ length: orders }, (_, hours) =>
      DAY.window.from.subtract({ hours: hours + 1 }),
    );
    const above = Array.from({ length: orders }, (_, hours) => DAY.window.to.add({ hours }));
    for (const [reach, shown, expected] of [
      [{ below: step, above: 0 }, below, { below: 4, above: 0 }],
      [{ below: 0, above: step }, above, { below: 0, above: 4 }],
    ] as const) {
      const dates = await datesFor(DAY, known, reach);
      expect(nearer(dates, DAY.window, reach, shown)).toEqual(isNearer ? expected : undefined);
    }
  },
);

test("a window's own open end is not set nearer", async () => {
  const newest = asked('2026-03-10T00:00', undefined);
  const known = knownAt('2026-03-09T08:00');
  expect(nearer(await datesFor(newest, known, NEAREST), newest.window, NEAREST)).toBeUndefined();
});
