import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { type DueDay, dueRuns } from '../../../src/plan/days/due-days.ts';
import { EVER, windowText } from '../../../src/model/window.ts';

const day = (text: string) => Temporal.PlainDate.from(text);

const TODAY = day('2026-03-05');
const dueDay = (text: string, since: string | undefined = text): DueDay => {
  return { day: day(text), since: day(since), expected: undefined };
};
const allBefore = (text: string): DueDay => ({ day: day(text), since: undefined, expected: undefined });
const windows = (due: readonly DueDay[]) => dueRuns(due, TODAY).map(({ window }) => windowText(window));

test('the run with today or a later day has an open end, and the oldest run an open beginning', () => {
  expect(windows([dueDay('2026-03-05'), dueDay('2026-03-04')])).toEqual(['since 2026-03-04T00:00']);
  expect(windows([dueDay('2026-03-06')])).toEqual(['since 2026-03-06T00:00']);
  expect(windows([dueDay('2026-03-04'), dueDay('2026-03-03', '2026-03-01')])).toEqual([
    '2026-03-01T00:00 to 2026-03-05T00:00',
  ]);
  expect(windows([dueDay('2026-03-04'), dueDay('2026-03-01'), allBefore('2026-02-28')])).toEqual([
    '2026-03-04T00:00 to 2026-03-05T00:00',
    'before 2026-03-02T00:00',
  ]);
  expect(dueRuns([allBefore('2026-03-05')], TODAY)).toMatchObject([{ window: EVER }]);
  expect(windows([allBefore('2026-02-28'), dueDay('2026-02-27')]), 'nothing is before the beginning').toEqual(
    ['before 2026-03-01T00:00', '2026-02-27T00:00 to 2026-02-28T00:00'],
  );
  expect(dueRuns([], TODAY)).toEqual([]);
});

test('due days fall into runs of neighbours that hold each day once, newest first', () => {
  const anyDays = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
  const spans = fc.array(fc.nat(3), { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(anyDays, spans, (offsets, lengths) => {
      const sorted = offsets.toSorted((a, b) => b - a);
      const due = sorted.map((offset, index): DueDay => {
        // What a day speaks for ends before the next one that is due.
        const room = offset - (sorted[index + 1] ?? -10) - 1;
        const last = day('2025-12-15').add({ days: offset });
        return {
          day: last,
          since: last.subtract({ days: Math.min(room, lengths[index] ?? 0) }),
          expected: offset,
        };
      });
      const runs = dueRuns(due, day('2026-03-01'));
      expect(runs.flatMap((run) => run.days)).toEqual(due);
      for (const [index, { window, days }] of runs.entries()) {
        expect(days.at(-1)?.since?.toPlainDateTime()).toEqual(window.from);
        expect(days[0]?.day.add({ days: 1 }).toPlainDateTime()).toEqual(window.to);
        for (const [at, newer] of days.entries()) {
          const older = days[at + 1];
          if (older) expect(newer.since?.subtract({ days: 1 })).toEqual(older.day);
        }
        const before = runs[index - 1];
        // At least one day that is not due lies between two runs.
        if (before) expect(Temporal.PlainDateTime.compare(window.to, before.window.from)).toBe(-1);
      }
    }),
  );
});
