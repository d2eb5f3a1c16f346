import { describe, expect, test } from 'vitest';

import { judgeUnlisted, mayMarkMissing } from '../../../src/plan/orders/unlisted.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const ago = (milliseconds: number) => NOW.subtract({ milliseconds });
const MINUTES_5 = 5 * 60_000;
const DAY = 24 * 3_600_000;
const PRESENCES = ['gone', 'served', 'unknown'] as const;

describe('an order that was live until now', () => {
  const judge = (
    unresolvedMs: number | null,
    presence: (typeof PRESENCES)[number],
    acceptsMissing: boolean,
  ) => judgeUnlisted(null, unresolvedMs, presence, acceptsMissing, NOW);

  test.each([null, 0, DAY - 1])('is missing if the shop says so, after %s ms without it', (unresolvedMs) => {
    expect([judge(unresolvedMs, 'gone', false), judge(unresolvedMs, 'gone', true)]).toEqual(['mark', 'mark']);
    expect(judge(unresolvedMs, 'unknown', false)).toBe('unresolved');
    expect(judge(unresolvedMs, 'unknown', true), 'by what the operator said').toBe('mark');
    expect(judge(unresolvedMs, 'served', false)).toBe('unresolved');
    expect(judge(unresolvedMs, 'served', true), 'the shop says that it is there').toBe('unresolved');
  });

  test('is missing after a day without any list that shows it, whatever the shop says', () => {
    expect(PRESENCES.map((presence) => judge(DAY, presence, false))).toEqual(['mark', 'mark', 'mark']);
  });
});

test.each([
  [0, 'wait'],
  [MINUTES_5 - 1, 'wait'],
  [MINUTES_5, 'delete'],
])('an order that is missing for %i ms already: %s, whatever the shop says', (ms, verdict) => {
  for (const acceptsMissing of [false, true]) {
    for (const unresolvedMs of [null, DAY]) {
      for (const presence of PRESENCES)
        expect(judgeUnlisted(ago(ms), unresolvedMs, presence, acceptsMissing, NOW)).toBe(verdict);
    }
  }
});

test.each([
  // Twenty may vanish whatever their share.
  { stored: 0, missing: 0, may: true },
  { stored: 1, missing: 1, may: true },
  { stored: 20, missing: 20, may: true },
  { stored: 21, missing: 21, may: false },
  // A fifth may vanish whatever their number.
  { stored: 104, missing: 21, may: false },
  { stored: 105, missing: 21, may: true },
  { stored: 109, missing: 22, may: false },
  { stored: 110, missing: 22, may: true },
  { stored: 100_000, missing: 20_000, may: true },
  { stored: 100_000, missing: 20_001, may: false },
  { stored: 100_000, missing: 100_000, may: false },
])('$missing of $stored orders that vanished are marked: $may', ({ stored, missing, may }) => {
  expect(mayMarkMissing(stored, missing)).toBe(may);
});
