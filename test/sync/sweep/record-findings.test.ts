import { expect, test } from 'vitest';

import { settleFindings } from '../../../src/sync/sweep/record-findings.ts';
import type { FindingCause } from '../../../src/model/alert-facts.ts';

const PAUSE = Temporal.Instant.from('2026-03-10T12:00:00Z');

/** Causes that a sweep which ran to its end shows to be over, and what it found. */
function settled(
  pausedUntil: Temporal.Instant | undefined,
  isComplete: boolean,
  found: readonly FindingCause[] = [],
) {
  const causes = new Map<FindingCause, string | undefined>(found.map((cause) => [cause, 'found']));
  settleFindings({ causes, pausedUntil }, isComplete);
  return Object.fromEntries(causes);
}

test('a sweep that ran to its end ends what it would have found', () => {
  const answered = { crashes: undefined, credentials: undefined, drift: undefined };
  expect(settled(undefined, true)).toStrictEqual({ ...answered, deletions: undefined });
  expect(Object.keys(settled(undefined, false)), 'days that are left may hold deletions').not.toContain(
    'deletions',
  );
  expect(settled(undefined, true, ['drift', 'deletions'])).toStrictEqual({
    ...answered,
    drift: 'found',
    deletions: 'found',
  });
});

test('a shop that asked for a pause has not shown that it takes the login', () => {
  expect(Object.keys(settled(PAUSE, false))).toEqual(['crashes']);
});
