import { expect, test } from 'vitest';

import { TransientError } from '../../../src/model/errors.ts';
import { describeAge, judgeStatus } from '../../../src/shop-api/wire/judge-status.ts';
import { judgePause } from '../../../src/shop-api/wire/response-kind.ts';

const NOW = Temporal.Instant.from('2026-03-10T12:00:00Z');
const headers = (retryAfter?: string) =>
  new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter });

/** Kind of the error, whom it concerns, its pause and what it says. */
function judged(status: number, retryAfter?: string, successes?: number): string {
  const notFound = () => ['nothing is there', 'look'] as const;
  const error = judgeStatus({ status, headers: headers(retryAfter) }, NOW, notFound, successes);
  if (error === undefined) return 'success';
  const pause = error instanceof TransientError ? ` ${error.retryAfterMs ?? 'no'} ms` : '';
  return `${error.name} of the ${error.scope}${pause}, ${error.status}: ${error.message}`;
}

test.each([
  [200, undefined, 'success'],
  [299, undefined, 'success'],
  [199, undefined, 'TransientError of the record no ms, 199: the shop answered HTTP 199'],
  [300, undefined, 'TransientError of the record no ms, 300: the shop answered HTTP 300'],
  [404, '3', 'TerminalError of the record, 404: nothing is there (HTTP 404); look'],
  [408, undefined, 'TransientError of the shop no ms, 408: the shop answered HTTP 408'],
  [418, undefined, 'TransientError of the record no ms, 418: the shop answered HTTP 418'],
  [425, undefined, 'TransientError of the shop no ms, 425: the shop answered HTTP 425'],
  [429, undefined, 'TransientError of the shop no ms, 429: the shop answered HTTP 429'],
  [499, undefined, 'TransientError of the record no ms, 499: the shop answered HTTP 499'],
  [500, undefined, 'TransientError of the shop no ms, 500: the shop answered HTTP 500'],
  [
    418,
    '3',
    'TransientError of the shop 3000 ms, 418: the shop answered HTTP 418 and requested a pause of 3 s',
  ],
  [
    503,
    '3',
    'TransientError of the shop 3000 ms, 503: the shop answered HTTP 503 and requested a pause of 3 s',
  ],
])('HTTP %i with Retry-After %s', (status, retryAfter, expected) => {
  expect(judged(status, retryAfter)).toBe(expected);
});

test('a part of a second is told as one, and of a login that is refused it is said what to check', () => {
  expect(judged(503, 'Tue, 10 Mar 2026 12:00:02 GMT')).toContain('a pause of 2 s');
  for (const status of [401, 403])
    expect(judged(status)).toContain(
      'does not accept the login and API key (HTTP ' + status + '); check both',
    );
});

test('whatever else is answered is read, a pause is one where it is asked for', () => {
  const pauseOf = (status: number, retryAfter?: string) => {
    const error = judgePause({ status, headers: headers(retryAfter) }, NOW);
    return error && [error.message, error.retryAfterMs];
  };
  expect(pauseOf(429)).toEqual(['the shop answered HTTP 429', undefined]);
  expect(pauseOf(503, '2')).toEqual(['the shop answered HTTP 503', 2_000]);
  expect([pauseOf(503), pauseOf(500, '2'), pauseOf(200, '2')]).toEqual([undefined, undefined, undefined]);
});

test('a refusal after answers is told as that, and nothing else is', () => {
  const after = (status: number, successes: number) => judged(status, undefined, successes);
  expect(after(403, 1)).toMatch(/^TerminalError of the record, 403: .*\(HTTP 403\) after 1 response;/);
  expect(after(403, 2000)).toMatch(/\(HTTP 403\) after 2,000 responses;/);
  for (const status of [401, 404, 500]) expect(after(status, 2)).toBe(after(status, 0));
});

test('what a cache kept for more than a minute says nothing of now', () => {
  const of = (age: string) => describeAge(new Headers({ age }));
  expect([of('60'), of('now'), describeAge(headers())]).toEqual([undefined, undefined, undefined]);
  expect(of('61')).toMatch(/a cache before the shop answered with data that is 2 minutes old \(Age: 61\)/);
});
