/** What was probably meant by a name with a typo. */
import { expect, test } from 'vitest';

import { nearestName } from '../../src/config/nearest-name.ts';
import { complete, problemsOf } from '../support/settings.ts';

test.each([
  ['Moscow', 'Europe/Moscow'],
  ['new york', 'America/New_York'],
  ['EUROPE_BERLIN', 'Europe/Berlin'],
  ['Europe/Berlni', 'Europe/Berlin'],
  ['america/newyork', 'America/New_York'],
  ['Berln', 'Europe/Berlin'],
  ['Nowhere at all', undefined],
  // PostgreSQL takes these for abbreviations: of a fixed offset, without summer time.
  ['EET', 'Europe/Athens'],
  ['EST5EDT', 'America/New_York'],
  ['W-SU', 'Europe/Moscow'],
  ['GMT', 'UTC'],
  ['+03:00', undefined],
])('a zone that is written as %s', (given, meant) => {
  const [problem] = problemsOf({ ...complete, SHOP_TIMEZONE: given });
  const instead = meant === undefined ? ', such as Europe/Berlin' : `; did you mean ${meant}?`;
  expect(problem).toBe(`SHOP_TIMEZONE must be the IANA time zone of a city${instead}`);
});

test.each([
  ['orders', ['orders'], 'orders'],
  ['ordres', ['lines', 'orders'], 'orders'],
  ['order', ['border_lines', 'orders', 'order'], 'order'],
  ['abc', ['abcde'], 'abcde'],
  ['abcde', ['abc'], 'abc'],
  ['abc', ['abcdef'], undefined],
  ['abcdef', ['abc'], undefined],
  ['abcd', ['axyd'], 'axyd'],
  ['abcd', ['xyzd'], undefined],
  ['abcd', ['bcda'], 'bcda'],
  ['ab', ['ba', 'ax'], 'ax'],
  ['', ['ab', 'abc'], 'ab'],
  ['abcdefgh', ['abxdyfzh', 'bcdefghi'], 'bcdefghi'],
])('the name nearest to %s of %s', (given, known, nearest) => {
  expect(nearestName(given, known)).toBe(nearest);
});
