import { expect, test } from 'vitest';

import type { LedgerDay } from '../../../src/model/ledger-day.ts';
import { countStretch, type DueDay, type DueRule, dueDays } from '../../../src/plan/days/due-days.ts';
import { parseFreshness } from '../../../src/plan/days/freshness.ts';

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
      return { day: day(text), since: day(text), expected: undefined };
    }),
  );
});

test('of a shop that was never read, all is due up to the last day, as one entry', () => {
  expect(dueDays([], { from: undefined, to: range.to }, policy, now, 'UTC')).toEqual([
    { day: range.to, since: undefined, expected: undefined },
  ]);
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
  expect(dueAfter(targetS)).toEqual([{ day: day(text), since: day(text), expected: 7 }]);
});

test.each([
  ['2026-03-05', 5 * 60, 150],
  ['2026-03-04', 3_600, 200],
])(
  'looking 200 s ahead, the day %s, due every %i s, is taken %i s early and no more',
  (text, targetS, aheadS) => {
    const ahead: DueRule = { ...policy, aheadMs: 200_000 };
    const dueAfter = (seconds: number) => {
      const verifiedAt = now.subtract({ milliseconds: Math.round(seconds * 1_000) }).toString();
      return dueDays([entry(text, verifiedAt)], { from: day(text), to: day(text) }, ahead, now, 'UTC');
    };
    expect(dueAfter(targetS - aheadS - 0.001)).toEqual([]);
    expect(dueAfter(targetS - aheadS)).toHaveLength(1);
  },
);

test('a day of which an order is to be confirmed as deleted is due then, however fresh it is', () => {
  const of = (seconds: number) => ({
    ...entry('2026-03-01', now.toString()),
    confirmAt: now.add({ seconds }),
  });
  const due = (seconds: number) =>
    days(dueDays([of(seconds)], { from: day('2026-03-01'), to: day('2026-03-01') }, policy, now, 'UTC'));
  expect([due(-1), due(0), due(1)]).toEqual([['2026-03-01'], ['2026-03-01'], []]);
});

test('force takes every day that was not verified since the given instant, whatever its age', () => {
  const ledger = [
    entry('2026-03-05', '2026-03-05T11:59:59.999Z'),
    entry('2026-03-04', '2026-03-05T12:00:00Z'),
    { day: day('2026-03-03'), verifiedAt: undefined, orders: undefined },
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

// Verified ten minutes ago: too long for today, soon enough for yesterday, unless that went on since.
test.each([
  ['just before midnight', '2026-03-04T20:59:59.999Z', 'Europe/Moscow', '2026-03-04'],
  ['at midnight', '2026-03-04T21:00:00Z', 'Europe/Moscow', '2026-03-05', true],
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
    true,
  ],
  ['before midnight of the day whose clock goes back', '2026-10-25T22:59:59Z', 'Europe/Berlin', '2026-10-25'],
  [
    'at the midnight that ends it, an hour of UTC later',
    '2026-10-25T23:00:00Z',
    'Europe/Berlin',
    '2026-10-26',
    true,
  ],
  ['at a midnight that the clock skips', '2026-09-06T04:00:00Z', 'America/Santiago', '2026-09-06', true],
])(
  "the shop's zone decides which day is today: %s",
  (_case, instant, timezone, today, hasJustEnded = false) => {
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
    expect(days(due)).toEqual(hasJustEnded ? around.toReversed() : [today]);
  },
);

test('a day that was verified before it ended is due once it is over, whatever the policy says', () => {
  const lax: DueRule = { by: 'policy', policy: parseFreshness('*:30d') };
  const isDueAfter = (verifiedAt: string, timezone: string) => {
    const ledger = [entry('2026-03-03', verifiedAt), entry('2026-03-05', '2026-03-05T11:59:59Z')];
    return days(dueDays(ledger, range, lax, now, timezone)).includes('2026-03-03');
  };
  // In the zones where a day ends last and first.
  for (const [zone, end] of [
    ['UTC', '2026-03-04T00:00:00Z'],
    ['Etc/GMT+12', '2026-03-04T12:00:00Z'],
    ['Pacific/Kiritimati', '2026-03-03T10:00:00Z'],
  ] as const) {
    const before = at(end).subtract({ nanoseconds: 1 }).toString();
    expect([isDueAfter(before, zone), isDueAfter(end, zone)], zone).toEqual([true, false]);
  }
  expect(isDueAfter('2026-02-20T00:00:00Z', 'UTC')).toBe(true);
});

/** `2026-03-04`, or `2026-03-02..2026-03-04` for a day that speaks for others before it, `..2026-03-04` for all before. */
const entries = (due: readonly DueDay[]) =>
  due.map(({ day, since }) => {
    if (since === undefined) return `..${day.toString()}`;
    return since.equals(day) ? day.toString() : `${since.toString()}..${day.toString()}`;
  });
const [OLD, FRESH] = ['2026-01-01T00:00:00Z', '2026-03-05T11:59:59Z'];
const lists = (ledger: readonly LedgerDay[], from: string | undefined, to = '2026-03-05') =>
  entries(
    dueDays(ledger, { from: from === undefined ? undefined : day(from), to: day(to) }, policy, now, 'UTC'),
  );

test('a day speaks for the days before it that the ledger does not name, the first one for all that is older', () => {
  const ledger = [entry('2024-02-10', OLD), entry('2026-03-02', OLD), entry('2026-03-05', OLD)];
  expect(lists(ledger, undefined)).toEqual([
    '2026-03-03..2026-03-05',
    '2024-02-11..2026-03-02',
    '..2024-02-10',
  ]);
});

test('what a fresh day speaks for is not due', () => {
  expect(lists([entry('2024-02-10', FRESH), entry('2026-03-05', FRESH)], undefined)).toEqual([]);
  expect(lists([entry('2024-02-10', OLD), entry('2026-03-05', FRESH)], undefined)).toEqual(['..2024-02-10']);
});

test('a day that could not be read leaves what it speaks for due as well', () => {
  const failed = { day: day('2026-03-04'), verifiedAt: undefined, orders: undefined };
  expect(lists([entry('2026-03-01', FRESH), failed, entry('2026-03-05', FRESH)], undefined)).toEqual([
    '2026-03-02..2026-03-04',
  ]);
});

test('days after the last one that the ledger names were never read', () => {
  expect(lists([entry('2026-03-03', FRESH)], undefined)).toEqual(['2026-03-05', '2026-03-04']);
});

test('a range that begins in a gap ends what its first day speaks for, and days before the ledger are due by themselves', () => {
  const ledger = [entry('2026-02-01', OLD), entry('2026-03-04', OLD), entry('2026-03-05', FRESH)];
  expect(lists(ledger, '2026-03-02')).toEqual(['2026-03-02..2026-03-04']);
  expect(lists(ledger, '2026-01-30', '2026-02-01')).toEqual(['2026-02-01', '2026-01-31', '2026-01-30']);
  expect(lists([entry('2026-03-05', FRESH)], '2026-03-03')).toEqual(['2026-03-04', '2026-03-03']);
});

test('a range within a gap is read, since nothing in it is named', () => {
  const ledger = [entry('2026-02-01', FRESH), entry('2026-03-05', FRESH)];
  expect(lists(ledger, '2026-03-02', '2026-03-03')).toEqual(['2026-03-03', '2026-03-02']);
});

test('up to 366 days that were never read are taken day by day, more as one entry', () => {
  expect(lists([], '2025-03-05')).toHaveLength(366);
  expect(lists([], '2025-03-04')).toEqual(['2025-03-04..2026-03-05']);
  expect(lists([entry('2026-03-05', FRESH)], '2010-01-01')).toEqual(['2010-01-01..2026-03-04']);
});

test.each([
  ['2026-03-04', 0],
  ['2026-03-05', 1],
  ['2026-03-06', 2],
  ['2027-03-05', 366],
  ['2027-03-06', 1],
])('days from 5 March 2026 to %s that were never read are due as %i', (last, count) => {
  expect(countStretch(day('2026-03-05'), day(last))).toBe(count);
});

const failed = (retryAt: string | undefined): LedgerDay => {
  const failure = { reason: 'it moved', retryAt: retryAt === undefined ? undefined : at(retryAt) };
  return { day: day('2026-03-02'), verifiedAt: undefined, orders: undefined, failure };
};

test.each([
  ['2026-03-05T12:00:01Z', false],
  ['2026-03-05T12:00:00Z', true],
  ['2026-03-05T13:00:00Z', false],
  // Written by a clock that ran ahead.
  ['2026-03-05T13:00:01Z', true],
  [undefined, true],
])('a failed day that is to be tried again at %s is due now: %s', (retryAt, isDue) => {
  const only = { from: day('2026-03-02'), to: day('2026-03-02') };
  const found = (rule: DueRule) => days(dueDays([failed(retryAt)], only, rule, now, 'UTC'));
  expect(found({ ...policy, awaitsRetry: true })).toEqual(isDue ? ['2026-03-02'] : []);
  expect(found(policy)).toEqual(['2026-03-02']);
  expect(found({ by: 'force', notSince: now })).toEqual(['2026-03-02']);
  const ahead = found({ ...policy, awaitsRetry: true, aheadMs: 1_000 });
  expect(ahead, 'a second ahead').toEqual(retryAt === '2026-03-05T13:00:00Z' ? [] : ['2026-03-02']);
});
