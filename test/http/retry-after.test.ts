import { expect, test } from 'vitest';

import { readRetryAfter } from '../../src/http/request.ts';

const NOW = Temporal.Instant.from('2026-03-15T10:30:20Z');

test.each<[string | null, number | undefined]>([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['Sun, 15 Mar 2026 10:31:20 GMT', 60_000],
  ['Sunday, 15-Mar-26 10:31:20 GMT', 60_000],
  ['Sun Mar 15 10:31:20 2026', 60_000],
  ['Sun, 15 Mar 2026 10:30:19 GMT', 0],
  [null, undefined],
  ['', undefined],
  ['-1', undefined],
  ['1.5', 1500],
  ['2.0', 2000],
  ['30.0', 30_000],
  ['0.25', 250],
  ['1.', undefined],
  ['1.5.2', undefined],
  ['1e9', undefined],
  ['soon', undefined],
  ['on Sun, 15 Mar 2026 10:31:20 GMT', undefined],
  ['2026-03-15T10:31:20Z', undefined],
  ['99999999999999999999', undefined],
])('%o is a pause of %o ms', (header, pause) => {
  expect(readRetryAfter(header, NOW)).toBe(pause);
});
