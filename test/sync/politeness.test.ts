import { expect, test } from 'vitest';

import { boundedAbsence } from '../../src/sync/politeness.ts';

const NOW = Temporal.Instant.from('2026-03-15T10:30:20Z');

test.each([
  ['none', undefined, undefined],
  ['that is over', '2026-03-15T10:00:00Z', '2026-03-15T10:00:00Z'],
  ['of an hour', '2026-03-15T11:30:20Z', '2026-03-15T11:30:20Z'],
  ['that a clock noted which ran years ahead', '2031-01-01T00:00:00Z', '2026-03-15T11:30:20Z'],
])('a pause %s', (_which, stored, until) => {
  expect(
    boundedAbsence(stored === undefined ? undefined : Temporal.Instant.from(stored), NOW)?.toString(),
  ).toBe(until);
});
