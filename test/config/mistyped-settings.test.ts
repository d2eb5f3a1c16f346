/** What was probably meant by a name with a typo. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { nearestName } from '../../src/config/nearest-name.ts';
import { SETTING_NAMES } from '../../src/config/settings.ts';
import { complete, problemsOf } from '../support/settings.ts';

test.each([
  ['SHOP_TIMEZON', 'SHOP_TIMEZONE'],
  ['SHOP_APIKEY_FILE', 'SHOP_API_KEY_FILE'],
  ['SHOPURL', 'SHOP_URL'],
  ['SHOP_FILE', 'SHOPS_FILE'],
  ['SYNC_CORN', 'SYNC_CRON'],
  ['FRESHNES', 'FRESHNESS'],
])('%s is recognized as a typo of %s', (name, meant) => {
  expect(problemsOf({ ...complete, [name]: 'x' })).toEqual([
    `${name} is not a setting; did you mean ${meant}?`,
  ]);
  expect(problemsOf({ ...complete, [name]: '' })).toEqual([]);
});

test('variables that an orchestrator sets for a service called shop, shops or sync are ignored', () => {
  const env = { ...complete };
  for (const service of ['SHOP', 'SHOPS', 'SHOP_URL', 'SHOP_KEY', 'SYNC', 'SYNC_CRON', 'PII']) {
    Object.assign(env, {
      [`${service}_SERVICE_HOST`]: '10.0.0.1',
      [`${service}_SERVICE_PORT`]: '80',
      [`${service}_SERVICE_PORT_HTTP`]: '80',
      [`${service}_PORT`]: 'tcp://10.0.0.1:80',
      [`${service}_PORT_80_TCP`]: 'tcp://10.0.0.1:80',
      [`${service}_PORT_80_TCP_PROTO`]: 'tcp',
      [`${service}_PORT_80_TCP_PORT`]: '80',
      [`${service}_PORT_80_TCP_ADDR`]: '10.0.0.1',
    });
  }
  expect(problemsOf(env)).toEqual([]);
});

test('variables with another prefix, or with a name unlike any setting, are ignored', () => {
  const others = {
    PORTS: '1',
    LOG_LEVELS: 'x',
    DATABASE_URI: 'x',
    XSHOP_URL: 'x',
    SHOP_OWNER: 'x',
    SYNC_INTERVAL: 'x',
  };
  expect(problemsOf({ ...complete, ...others })).toEqual([]);
});

test('a command without a shop checks all names, unless a shops file may name variables of its own', () => {
  const [ofShop, ofAll] = [
    'SHOP_TIMEZON is not a setting; did you mean SHOP_TIMEZONE?',
    'FRESHNES is not a setting; did you mean FRESHNESS?',
  ];
  const mistyped = { SHOP_TIMEZON: 'x', FRESHNES: 'x' };
  expect(problemsOf(mistyped, false)).toEqual([ofShop, ofAll]);
  expect(problemsOf({ ...mistyped, SHOPS_FILE: 'shops.yaml' }, false)).toEqual([]);
});

test('any single typo in a setting name is found, and a correct name is never reported', () => {
  const name = fc.constantFrom(...SETTING_NAMES.filter((text) => /^(SHOP|SYNC|PII)_/.test(text)));
  const slip = fc.constantFrom('drop', 'double', 'replace');
  fc.assert(
    fc.property(name, fc.nat(), slip, (right, place, kind) => {
      const at = 5 + (place % (right.length - 5));
      const letter = { drop: '', double: `${right[at]}${right[at]}`, replace: 'X' }[kind];
      const wrong = `${right.slice(0, at)}${letter}${right.slice(at + 1)}`;
      const problems = problemsOf({ ...complete, [wrong]: 'x' }).filter((text) =>
        text.startsWith(`${wrong} is not`),
      );
      expect(problems).toHaveLength(SETTING_NAMES.includes(wrong) ? 0 : 1);
    }),
  );
});

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
