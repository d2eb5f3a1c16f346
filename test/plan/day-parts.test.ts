/** A day that takes several windows, and perhaps several sweeps. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  addWindow,
  beginProgress,
  dayPart,
  type DayProgress,
  isSettled,
  type ReadDay,
} from '../../src/plan/days/day-progress.ts';
import { EVER, type Window } from '../../src/model/window.ts';

const time = (text: string) => Temporal.PlainDateTime.from(text);
const noon = Temporal.Instant.from('2026-03-05T12:00:00Z');
const TODAY = Temporal.PlainDate.from('2026-03-05');
const NONE: DayProgress = new Map();
const DAY = Temporal.PlainDate.from('2026-03-02');
const MINUTES = 24 * 60;
const at = (minute: number) => DAY.toPlainDateTime().add({ minutes: minute });

function add(progress: DayProgress, window: Window, orders = 0, askedAt = noon) {
  const ordersByDay = new Map([[DAY.toString(), orders]]);
  const asked = new Map([[DAY.toString(), 7]]);
  return addWindow(progress, { window, ordersByDay, isOldest: false, askedAt }, asked, TODAY);
}
const partOf = (window: Window, today = TODAY) => dayPart(add(NONE, window).progress, window, today);

test('the oldest day of a window is partly read where the window begins within it', () => {
  const to = time('2026-03-04T00:00');
  expect(partOf({ from: at(60), to })).toEqual({
    day: '2026-03-02',
    readFrom: at(60),
    since: noon,
    orders: 0,
    moves: 7,
  });
  expect(partOf({ from: at(0), to })).toBeUndefined();
  expect(partOf({ from: EVER.from, to })).toBeUndefined();
});

test('a day that was not read up to midnight is not partly read, and neither is one to come', () => {
  expect(partOf({ from: at(60), to: at(MINUTES - 1) })).toBeUndefined();
  const gap = add(add(NONE, { from: at(900), to: at(MINUTES) }).progress, { from: at(60), to: at(899) });
  expect(dayPart(gap.progress, { from: at(60), to: at(899) }, TODAY)).toBeUndefined();
  expect(partOf({ from: at(60), to: at(MINUTES) }, DAY.subtract({ days: 1 }))).toBeUndefined();
  expect(partOf({ from: at(60), to: at(MINUTES) }, DAY)).toBeDefined();
  expect(partOf({ from: at(60), to: EVER.to }, DAY)).toBeDefined();
});

test.each([
  ['one window', 1, 7, 8, true],
  ['several windows between which nothing moved', 2, 7, 7, true],
  ['several windows between which something moved', 2, 7, 8, false],
  ['several windows, and had no row in the ledger before', 2, undefined, 0, false],
  ['several windows, and has no row in the ledger', 2, undefined, undefined, false],
])('a day that took %s', (_what, parts, before, now, isVerified) => {
  expect(isSettled({ parts, moves: before }, now)).toBe(isVerified);
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
          const added = add(progress, window, orders, noon.add({ seconds: index }));
          progress = added.progress;
          const part = dayPart(progress, window, TODAY);
          expect(part === undefined).toBe(window.from.equals(at(0)));
          if (isInterrupted && isEnd && part) {
            const due = { day: DAY, since: DAY, expected: undefined, moves: 9, part };
            ({ progress } = beginProgress({ window, days: [due] }));
          }
          return added.whole;
        });
      };
      const [once, many] = [read(false), read(true)];
      const verdict = { day: DAY.toString(), moves: 7, verifiedAt: noon };
      expect(once).toMatchObject([verdict]);
      // However many parts they were: that they were several is what counts.
      const verdicts = (days: readonly ReadDay[]) => days.map((day) => ({ ...day, parts: day.parts > 1 }));
      expect(verdicts(many)).toEqual(verdicts(once));
    }),
  );
});

test('a run begins with the part of its newest day that was read, and with what moved on each of its days', () => {
  const due = { day: DAY, since: DAY, expected: undefined, moves: 4 };
  const window = { from: at(0), to: at(MINUTES) };
  const asked = new Map([['2026-03-02', 4]]);
  expect(beginProgress({ window, days: [due] })).toEqual({ progress: new Map(), asked });
  expect(beginProgress({ window, days: [] })).toEqual({ progress: new Map(), asked: new Map() });
  const part = { readFrom: at(60), orders: 3, since: noon, moves: 7 };
  expect(beginProgress({ window, days: [{ ...due, part }] })).toEqual({
    progress: new Map([['2026-03-02', { orders: 3, since: noon, moves: 7, minutesLeft: 60, parts: 1 }]]),
    asked,
  });
});
