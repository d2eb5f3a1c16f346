import { describe, expect, test } from 'vitest';

import { judgeUnlisted, mayMarkMissing } from '../../../src/plan/orders/unlisted.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const ago = (milliseconds: number) => NOW.subtract({ milliseconds });
const MINUTES_5 = 5 * 60_000;
const DAY = 24 * 3_600_000;
const PRESENCES = ['gone', 'served', 'unknown'] as const;

describe('an order that was live until now', () => {
  const judge = (doubtedMs: number | null, presence: (typeof PRESENCES)[number], acceptsMissing: boolean) =>
    judgeUnlisted(null, doubtedMs, presence, acceptsMissing, NOW);

  test.each([null, 0, DAY - 1])('is missing if the shop says so, after %s ms without it', (doubtedMs) => {
    expect([judge(doubtedMs, 'gone', false), judge(doubtedMs, 'gone', true)]).toEqual(['mark', 'mark']);
    expect(judge(doubtedMs, 'unknown', false)).toBe('doubt');
    expect(judge(doubtedMs, 'unknown', true), 'by what the operator said').toBe('mark');
    expect(judge(doubtedMs, 'served', false)).toBe('doubt');
    expect(judge(doubtedMs, 'served', true), 'the shop says that it is there').toBe('doubt');
  });

  test('is missing after a day in which no list had it, whatever the shop says', () => {
    expect(PRESENCES.map((presence) => judge(DAY, presence, false))).toEqual(['mark', 'mark', 'mark']);
  });
});

test.each([
  [0, 'wait'],
  [MINUTES_5 - 1, 'wait'],
  [MINUTES_5, 'delete'],
])('an order that is missing for %i ms already: %s, whatever the shop says', (ms, verdict) => {
  for (const acceptsMissing of [false, true]) {
    for (const doubtedMs of [null, DAY]) {
      for (const presence of PRESENCES)
        expect(judgeUnlisted(ago(ms), doubtedMs, presence, acceptsMissing, NOW)).toBe(verdict);
    }
  }
});

test.each([
  // Twenty may vanish whatever their share.
  { held: 0, missing: 0, may: true },
  { held: 1, missing: 1, may: true },
  { held: 20, missing: 20, may: true },
  { held: 21, missing: 21, may: false },
  // A fifth may vanish whatever their number.
  { held: 104, missing: 21, may: false },
  { held: 105, missing: 21, may: true },
  { held: 109, missing: 22, may: false },
  { held: 110, missing: 22, may: true },
  { held: 100_000, missing: 20_000, may: true },
  { held: 100_000, missing: 20_001, may: false },
  { held: 100_000, missing: 100_000, may: false },
])('$missing of $held orders that vanished are marked: $may', ({ held, missing, may }) => {
  expect(mayMarkMissing(held, missing)).toBe(may);
});
