import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { type DueRule, dueDays, dueRuns, type LedgerDay } from '../../src/plan/due-days.ts';
import { parseFreshness } from '../../src/plan/freshness.ts';

const day = (text: string) => Temporal.PlainDate.from(text);
const at = (text: string) => Temporal.Instant.from(text);
const entry = (text: string, verifiedAt: string, orders = 7): LedgerDay => {
  return { day: day(text), verifiedAt: at(verifiedAt), orders };
};
const days = (due: readonly { readonly day: Temporal.PlainDate }[]) => due.map(({ day }) => day.toString());

const policy: DueRule = { by: 'policy', policy: parseFreshness('1d:5m, 3d:1h, *:1d') };
const range = { from: day('2026-03-01'), to: day('2026-03-05') };
const now = at('2026-03-05T12:00:00Z');

test('days that the ledger lacks are due at once, newest first', () => {
  expect(dueDays([], range, policy, now, 'UTC')).toEqual(
    ['2026-03-05', '2026-03-04', '2026-03-03', '2026-03-02', '2026-03-01'].map((text) => {
      return { day: day(text), expected: undefined };
    }),
  );
});

test('a day that was tried but never verified is due, and keeps no count', () => {
  const ledger = [{ day: day('2026-03-02'), verifiedAt: undefined, orders: undefined }];
  expect(days(dueDays(ledger, range, policy, now, 'UTC'))).toContain('2026-03-02');
});

test.each([
  ['2026-03-05', 0, 5 * 60],
  ['2026-03-04', 1, 3_600],
  ['2026-03-03', 2, 3_600],
  ['2026-03-02', 3, 86_400],
  ['2026-03-01', 4, 86_400],
])('the day %s, of age %i, is due exactly %i s after it was verified', (text, _age, targetS) => {
  const dueAfter = (seconds: number) => {
    const verifiedAt = now.subtract({ milliseconds: Math.round(seconds * 1_000) }).toString();
    return dueDays([entry(text, verifiedAt)], { from: day(text), to: day(text) }, policy, now, 'UTC');
  };
  expect(dueAfter(targetS - 0.001)).toEqual([]);
  expect(dueAfter(targetS)).toEqual([{ day: day(text), expected: 7 }]);
});

test.each([
  ['2026-03-05', 5 * 60, 30],
  ['2026-03-04', 3_600, 60],
])(
  'looking 60 s ahead, the day %s, due every %i s, is taken %i s early and no more',
  (text, targetS, aheadS) => {
    const ahead: DueRule = { ...policy, aheadMs: 60_000 };
    const dueAfter = (seconds: number) => {
      const verifiedAt = now.subtract({ milliseconds: Math.round(seconds * 1_000) }).toString();
      return dueDays([entry(text, verifiedAt)], { from: day(text), to: day(text) }, ahead, now, 'UTC');
    };
    expect(dueAfter(targetS - aheadS - 0.001)).toEqual([]);
    expect(dueAfter(targetS - aheadS)).toHaveLength(1);
  },
);

test('force takes every day that was not verified since the given instant, whatever its age', () => {
  const ledger = [
    entry('2026-03-05', '2026-03-05T11:59:59.999Z'),
    entry('2026-03-04', '2026-03-05T12:00:00Z'),
    entry('2026-03-02', '2026-03-05T12:00:01Z'),
    entry('2026-03-01', '2026-02-01T00:00:00Z'),
  ];
  const due = dueDays(ledger, range, { by: 'force', notSince: now }, now.add({ hours: 1 }), 'UTC');
  expect(days(due)).toEqual(['2026-03-05', '2026-03-03', '2026-03-01']);
});

test.each<{ rule: DueRule }>([{ rule: policy }, { rule: { by: 'force', notSince: now } }])(
  'a verdict from the future, by a clock that ran ahead, is none: by $rule.by the day is due',
  ({ rule }) => {
    const ledger = ['05', '03', '01'].map((date, years) =>
      entry(`2026-03-${date}`, `${2026 + years}-03-05T12:00:00.001Z`),
    );
    const others = ['04', '02'].map((date) => entry(`2026-03-${date}`, '2026-03-05T12:00:00Z'));
    expect(days(dueDays([...ledger, ...others], range, rule, now, 'UTC'))).toEqual([
      '2026-03-05',
      '2026-03-03',
      '2026-03-01',
    ]);
  },
);

test('a range that ends before it begins has no due day, and one day is a range', () => {
  expect(dueDays([], { from: range.to, to: range.from }, policy, now, 'UTC')).toEqual([]);
  expect(days(dueDays([], { from: range.to, to: range.to }, policy, now, 'UTC'))).toEqual(['2026-03-05']);
});

// Verified ten minutes ago: too long for today, soon enough for yesterday.
test.each([
  ['just before midnight', '2026-03-04T20:59:59.999Z', 'Europe/Moscow', '2026-03-04'],
  ['at midnight', '2026-03-04T21:00:00Z', 'Europe/Moscow', '2026-03-05'],
  ['a day ahead of UTC', '2026-03-04T10:30:00Z', 'Pacific/Kiritimati', '2026-03-05'],
  ['a day behind UTC', '2026-03-05T10:30:00Z', 'Pacific/Niue', '2026-03-04'],
  [
    'before midnight of the day whose clock goes forward',
    '2026-03-29T21:59:59Z',
    'Europe/Berlin',
    '2026-03-29',
  ],
  [
    'at the midnight that ends it, an hour of UTC earlier',
    '2026-03-29T22:00:00Z',
    'Europe/Berlin',
    '2026-03-30',
  ],
  ['before midnight of the day whose clock goes back', '2026-10-25T22:59:59Z', 'Europe/Berlin', '2026-10-25'],
  [
    'at the midnight that ends it, an hour of UTC later',
    '2026-10-25T23:00:00Z',
    'Europe/Berlin',
    '2026-10-26',
  ],
  ['at a midnight that the clock skips', '2026-09-06T04:00:00Z', 'America/Santiago', '2026-09-06'],
])("the shop's zone decides which day is today: %s", (_case, instant, timezone, today) => {
  const nowThere = at(instant);
  const verifiedAt = nowThere.subtract({ minutes: 10 }).toString();
  const around = [-1, 0].map((offset) => day(today).add({ days: offset }).toString());
  const ledger = around.map((text) => entry(text, verifiedAt));
  const due = dueDays(
    ledger,
    { from: day(today).subtract({ days: 1 }), to: day(today) },
    policy,
    nowThere,
    timezone,
  );
  expect(days(due)).toEqual([today]);
});

test('due days fall into runs of neighbours that hold each day once, newest first', () => {
  const anyDays = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
  fc.assert(
    fc.property(anyDays, (offsets) => {
      const due = offsets
        .toSorted((a, b) => b - a)
        .map((offset) => ({ day: day('2025-12-15').add({ days: offset }), expected: offset }));
      const runs = dueRuns(due);
      expect(runs.flatMap((run) => run.days)).toEqual(due);
      for (const [index, run] of runs.entries()) {
        const length = run.range.from.until(run.range.to).total('days') + 1;
        expect(run.days).toHaveLength(length);
        expect(run.days[0]?.day).toEqual(run.range.to);
        expect(run.days.at(-1)?.day).toEqual(run.range.from);
        const before = runs[index - 1];
        // At least one day that is not due lies between two runs.
        if (before) expect(run.range.to.until(before.range.from).total('days')).toBeGreaterThan(1);
      }
    }),
  );
});
