import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { dayPartOf, expectedOrders, isResumable, progressFrom } from '../../src/plan/day-part.ts';
import { addWindow, type DayProgress, type ReadDay } from '../../src/plan/day-progress.ts';
import { EVER, type Window } from '../../src/window.ts';

const DAY = Temporal.PlainDate.from('2026-03-02');
const TODAY = Temporal.PlainDate.from('2026-03-05');
const NOON = Temporal.Instant.from('2026-03-05T12:00:00Z');
const MINUTES = 24 * 60;
const NONE: DayProgress = new Map();
const at = (minute: number) => DAY.toPlainDateTime().add({ minutes: minute });
const time = (text: string) => Temporal.PlainDateTime.from(text);

function add(progress: DayProgress, window: Window, orders = 0, askedAt = NOON) {
  const ordersByDay = new Map([[DAY.toString(), orders]]);
  const asked = new Set([DAY.toString()]);
  return addWindow(progress, { window, ordersByDay, isOldest: false, askedAt }, asked, TODAY);
}
const partOf = (window: Window, today = TODAY) => dayPartOf(add(NONE, window).progress, window, today);

test('the oldest day of a window is partly read where the window begins within it', () => {
  const to = time('2026-03-04T00:00');
  expect(partOf({ from: at(60), to })).toEqual({
    day: '2026-03-02',
    readFrom: at(60),
    since: NOON,
    orders: 0,
  });
  expect(partOf({ from: at(0), to })).toBeUndefined();
  expect(partOf({ from: EVER.from, to })).toBeUndefined();
});

test('a day that was not read up to midnight is not partly read, and neither is today', () => {
  expect(partOf({ from: at(60), to: at(MINUTES - 1) })).toBeUndefined();
  const gap = add(add(NONE, { from: at(900), to: at(MINUTES) }).progress, { from: at(60), to: at(899) });
  expect(dayPartOf(gap.progress, { from: at(60), to: at(899) }, TODAY)).toBeUndefined();
  expect(partOf({ from: at(60), to: at(MINUTES) }, DAY)).toBeUndefined();
  expect(partOf({ from: at(60), to: at(MINUTES) }, DAY.add({ days: 1 }))).toBeDefined();
});

test('a pass that may verify the day goes on only where the day is held as it was; any other does', () => {
  const part = { readFrom: at(60), since: NOON, orders: 3, held: '3:1' };
  expect(isResumable({ ...part, isRestless: false }, '3:1')).toBe(true);
  expect(isResumable({ ...part, isRestless: false }, '3:2')).toBe(false);
  expect(isResumable({ ...part, isRestless: true }, '3:2')).toBe(true);
});

test('orders of the whole day are expected as densely as in the part', () => {
  expect(expectedOrders({ readFrom: at(MINUTES / 2), since: NOON, orders: 10 })).toBe(20);
  expect(expectedOrders({ readFrom: at(MINUTES - 1), since: NOON, orders: 1 })).toBe(MINUTES);
});

/** A day cut into windows, read newest first, each with its orders and whether the sweep ends after it. */
const anyDay = fc
  .record({
    cuts: fc.uniqueArray(fc.integer({ min: 1, max: MINUTES - 1 }), { maxLength: 20 }),
    orders: fc.array(fc.nat(50), { minLength: 21, maxLength: 21 }),
    ends: fc.array(fc.boolean(), { minLength: 21, maxLength: 21 }),
  })
  .map(({ cuts, orders, ends }) => {
    const edges = [0, ...cuts.toSorted((one, other) => one - other), MINUTES];
    const windows = edges.slice(1).map((to, index) => ({ from: at(edges[index] ?? 0), to: at(to) }));
    return windows.toReversed().map((window, index) => {
      return { window, orders: orders[index] ?? 0, isEnd: ends[index] === true };
    });
  });

test('a day that is read by many sweeps comes to what it comes to in one', () => {
  fc.assert(
    fc.property(anyDay, (reads) => {
      const read = (isInterrupted: boolean): readonly ReadDay[] => {
        let progress = NONE;
        return reads.flatMap(({ window, orders, isEnd }, index) => {
          const added = add(progress, window, orders, NOON.add({ seconds: index }));
          progress = added.progress;
          const part = dayPartOf(progress, window, TODAY);
          expect(part === undefined).toBe(window.from.equals(at(0)));
          if (isInterrupted && isEnd && part) progress = progressFrom(DAY, part);
          return added.whole;
        });
      };
      const [once, many] = [read(false), read(true)];
      const verdict = { day: DAY.toString(), verifiedAt: NOON };
      expect(once).toMatchObject([verdict]);
      // However many parts they were: that they were several is what counts.
      const verdicts = (days: readonly ReadDay[]) => days.map((day) => ({ ...day, parts: day.parts > 1 }));
      expect(verdicts(many)).toEqual(verdicts(once));
    }),
  );
});
