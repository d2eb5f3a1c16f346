import { expect, test } from 'vitest';

import { parseFreshness } from '../../../src/plan/days/freshness.ts';
import { ledgerRules } from '../../../src/sync/report/ledger-figures.ts';

const NOW = Temporal.Instant.from('2026-03-10T23:30:00Z');
const POLICY = parseFreshness('2d:1m, 14d:1h, *:7d');

test('the days of a rule are those of the shop, and are due by their target', () => {
  const rules = ledgerRules(7, 'Europe/Moscow', POLICY, NOW);
  // In Moscow, the 11th has begun.
  expect(rules.map(({ after, through, today }) => [after, through, today])).toEqual([
    ['2026-03-09', 'infinity', '2026-03-11'],
    ['2026-02-25', '2026-03-09', '2026-03-11'],
    ['-infinity', '2026-02-25', '2026-03-11'],
  ]);
  expect(rules.map(({ due_before }) => due_before)).toEqual([
    '2026-03-10T23:29:00Z',
    '2026-03-10T22:30:00Z',
    '2026-03-03T23:30:00Z',
  ]);
  expect(rules).toMatchObject([
    { shop_id: 7, rule: 0 },
    { shop_id: 7, rule: 1 },
    { shop_id: 7, rule: 2 },
  ]);
});
