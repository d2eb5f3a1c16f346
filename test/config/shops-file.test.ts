import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { loadConfig } from '../../src/config/load-config.ts';
import { parseFreshness } from '../../src/plan/days/freshness.ts';
import { SHOP_SETTINGS } from '../../src/config/settings.ts';
import { complete, parseShop, problemsIn } from '../support/settings.ts';
import { parseFile, problemsOf } from './parse-file.ts';

const DAY = 86_400_000;

/** A file of one shop, as JSON, which is YAML. */
const shopFile = (shop: Readonly<Record<string, unknown>>, defaults?: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ ...(defaults && { defaults }), shops: [shop] });
const north = { key: 'north', url: 'https://north.example', login: 'admin', apiKey: 'n', timezone: 'UTC' };
const { key: _key, url: _url, ...shared } = north;

test('a shop in the file gets the same defaults as one from the environment', () => {
  const shops = parseFile(shopFile({ ...north, ...pick(complete) })).shops;
  expect(shops).toEqual([{ ...parseShop({ ...complete, SHOP_KEY: 'north' }) }]);

  function pick(env: typeof complete) {
    return {
      url: env.SHOP_URL,
      login: env.SHOP_LOGIN,
      apiKey: env.SHOP_API_KEY,
      timezone: env.SHOP_TIMEZONE,
    };
  }
});

test('the documented example sets every setting to the documented value', () => {
  const text = readFileSync('docs/shops.example.yaml', 'utf8');
  const files = { 'etc/north.key': 'from north.key\n', 'etc/pii.key': 'from pii.key\n' };
  const { shops } = parseFile(text, { SOUTH_API_KEY: 'from the environment' }, files);
  const [first, second, ...others] = shops;
  expect(first).toEqual(
    parseShop({
      SHOP_KEY: 'north',
      SHOP_URL: 'https://north.example',
      SHOP_LOGIN: 'admin',
      SHOP_API_KEY: 'from north.key',
      SHOP_TIMEZONE: 'Europe/Berlin',
      SHOP_MAX_RPS: '5',
    }),
  );
  expect(second).toEqual({
    shopKey: 'south',
    baseUrl: 'https://south.example',
    login: 'admin',
    apiKey: 'from the environment',
    timezone: 'Europe/Rome',
    maxConcurrency: 2,
    maxRps: 2,
    pageLimit: 500,
    charset: 'windows-1251',
    historyFrom: Temporal.PlainDate.from('2024-01-01'),
    freshness: parseFreshness('2d:10m, 14d:2h, *:7d'),
    countEveryMs: 300_000,
    linesMaxAgeMs: 7 * DAY,
    usersMaxAgeMs: 7 * DAY,
    groupsMaxAgeMs: DAY,
    guestSecret: 'from pii.key',
  });
  expect(others).toEqual([]);
  for (const field of Object.keys(SHOP_SETTINGS)) expect(text).toMatch(new RegExp(`\\b${field}(File|Env)?:`));
});

test('a setting comes from the shop, else from the defaults, else from the environment', () => {
  const env = { SHOP_MAX_RPS: '1', COUNT_EVERY: '1d', PII_SECRET: 'of all' };
  const rateOf = (...given: Parameters<typeof parseFile>) => parseFile(...given).shops[0]?.maxRps;
  expect(rateOf(shopFile({ ...north, maxRps: 3 }, { maxRps: 2 }), env)).toBe(3);
  expect(rateOf(shopFile(north, { maxRps: 2 }), env)).toBe(2);
  expect(rateOf(shopFile(north), env)).toBe(1);
  expect(rateOf(shopFile(north))).toBe(50);
  expect(parseFile(shopFile(north), env).shops[0]).toMatchObject({
    countEveryMs: DAY,
    guestSecret: 'of all',
  });
  expect(parseFile(shopFile({ ...north, piiSecret: 'own' }), env).shops[0]?.guestSecret).toBe('own');
});

test('shops can share login, key and zone; the file of a shared key is read once', () => {
  const reads: string[] = [];
  const { apiKey: _apiKey, ...open } = shared;
  const read = (apiKeyFile: string) => {
    const shops = ['a', 'b'].map((key) => ({ key, url: `https://${key}.example` }));
    const source = {
      env: { SHOPS_FILE: '/etc/sync/shops.json' },
      readFile: (path: string) => {
        if (path === '/etc/sync/shops.json')
          return JSON.stringify({ shops, defaults: { ...open, apiKeyFile } });
        reads.push(path);
        return 'k3y';
      },
    };
    return loadConfig(source, { shop: true }).shops.map(({ apiKey }) => apiKey);
  };
  expect(read('keys/one')).toEqual(['k3y', 'k3y']);
  expect(read('/dev/fd/63')).toEqual(['k3y', 'k3y']);
  expect(reads).toEqual(['/etc/sync/keys/one', '/dev/fd/63']);
});

test('one address may hold several shops, each with a login of its own', () => {
  const shops = ['a', 'b'].map((name) => ({ ...north, key: name, login: name }));
  expect(parseFile(JSON.stringify({ shops })).shops.map(({ login }) => login)).toEqual(['a', 'b']);
});

test('values stay text: a login keeps its zeros, and quoted "null" is a string', () => {
  const { shops } = parseFile(
    `shops: [{key: a, url: https://a.example, login: 007, apiKey: "null", timezone: UTC}]`,
  );
  expect(shops[0]).toMatchObject({ login: '007', apiKey: 'null' });
  expect(problemsOf(shopFile({ ...north, login: null }))).toEqual([
    'etc/shops.yaml: shops.0.login is empty; give it a value, or leave it out',
  ]);
});

test('with everything wrong, every problem is reported with its file and path', () => {
  const text = `defaults:
  timezon: UTC
  key: x
  maxRps: fast
shops:
  - key: north
    url: http://north.example
    login: admin
    apiKeyFile: north.key
    apiKey: hunter2
    timezone: Berlin
  - key: North
    url: https://a:hunter2@x.example
    api_key: hunter2
    charset: [1, 2]
    historyFrom:
    colour: hunter2
  - {key: south, url: https://south.example/, login: admin, apiKeyFile: hunter2, timezone: UTC, allowHttp: yes}
  - {key: east, url: https://east.example/, login: admin, apiKeyEnv: hunter2, timezone: UTC}
`;
  const env = { SHOP_URL: 'https://x.example', SHOP_API_KEY_FILE: 'hunter2', PORT: 'a', COUNT_EVERY: '1' };
  const settings =
    'key, url, login, apiKey, apiKeyFile, apiKeyEnv, timezone, maxConcurrency, maxRps, charset, historyFrom, ' +
    'allowHttp, freshness, countEvery, piiMode, piiKeptFields, piiSecret, piiSecretFile, piiSecretEnv';
  expect(problemsOf(text, env).map((problem) => problem.replace(/^etc\/shops\.yaml: /, ''))).toEqual([
    'SHOPS_FILE is set, and so are SHOP_URL, SHOP_API_KEY: unset SHOP_URL, SHOP_API_KEY, since each shop of the file has its own, or unset SHOPS_FILE',
    'defaults.timezon is not a setting; did you mean timezone?',
    'shops.0.apiKeyFile and apiKey are both set; keep one of them',
    'shops.0.timezone must be the IANA time zone of a city; did you mean Europe/Berlin?',
    'defaults.maxRps must be a number above 0 and below 1,000,000, such as 10 or 0.5',
    'COUNT_EVERY must be a duration, such as 1m or 6h, or off',
    'shops.0.url would send the API key unencrypted; use https, or set SHOP_ALLOW_HTTP=true (allowHttp: true in a shops file)',
    'shops.1.api_key is not a setting; did you mean apiKey?',
    `shops.1 has an unknown setting; the settings are ${settings}`,
    'shops.1.key must be lower-case letters, digits, - and _, at most 63',
    'shops.1.url must not contain credentials; set the login and the API key separately',
    'shops.1.login is not set: the administrator login of its API',
    'shops.1.apiKey is not set: the API key of that login',
    "shops.1.timezone is not set: the zone of the shop's times, such as Europe/Berlin",
    'shops.1.charset must be a single value, not a list or a mapping',
    'shops.1.historyFrom is empty; give it a value, or leave it out',
    'shops.2.apiKeyFile names a file that is empty or cannot be read; check its permissions and its path, relative to the shops file',
    'shops.2.allowHttp must be true, false or the name of one host',
    'shops.3.apiKeyEnv names an environment variable that is not set',
    'PORT must be a whole number from 0 to 65535',
  ]);
});

test('a shop that is listed twice is refused, by its key or its address', () => {
  const shops = [north, { ...north, login: 'other' }, { ...north, key: 'south' }];
  expect(problemsOf(JSON.stringify({ shops }))).toEqual([
    'etc/shops.yaml: shops.1.key is already used by shops.0; give each shop its own',
    'etc/shops.yaml: shops.2 has the url and login of shops.0; list each shop once',
  ]);
});

const INVALID_YAML =
  'this is not valid YAML, here or above; check quotes, colons and indentation, and put values in quotes';

test.each([
  ['shops:\n  - key: "a\n', `line 3: ${INVALID_YAML}`],
  ['shops:\n\t- key: a', `line 2: ${INVALID_YAML}`],
  ['shops:\n  - key: a\n    key: b', `line 3: ${INVALID_YAML}`],
  ['shops: []\nshops: []', `line 2: ${INVALID_YAML}`],
  ['shops:\n  - login: a: b', `line 2: ${INVALID_YAML}`],
  ['shops:\n  - apiKey: @b', `line 2: ${INVALID_YAML}`],
  [
    'shops:\n  - apiKey: &a b',
    'line 2: a value begins with & or *, which YAML reserves; put the value in quotes',
  ],
  [
    'shops:\n  - apiKey: *a',
    'line 2: a value begins with & or *, which YAML reserves; put the value in quotes',
  ],
  ['shops:\n  - apiKey: !a b', `line 2: ${INVALID_YAML}`],
  ['shops: []\n---\nshops: []', `line 2: ${INVALID_YAML}`],
  ['shops: [', `line 1: ${INVALID_YAML}`],
  ['\n\nshops: {}', 'shops must be a list of shops: "shops:" with a "- key: …" for each'],
  ['shops: []', 'shops is empty; add a shop'],
  ['# nothing', 'the top level may contain only a list "shops" and "defaults"'],
  ['a text', 'the top level may contain only a list "shops" and "defaults"'],
  ['shop: 1\nshops: [{}]', 'the top level may contain only a list "shops" and "defaults"'],
  ['shops:\n  - {}\n  - just text', 'shops.1 must be a mapping, such as "maxRps: 5"'],
  ['defaults: x\nshops: [{}]', 'defaults must be a mapping, such as "maxRps: 5"'],
])('%j is rejected with its line or path', (text, problem) => {
  expect(problemsOf(text)).toEqual([`etc/shops.yaml: ${problem}`]);
});

test('exponentially expanding references and endless brackets are rejected at once', () => {
  const levels = Array.from({ length: 30 }, (_, level) => `  - &l${level + 1} [*l${level}, *l${level}]\n`);
  const problems = problemsOf(`shops:\n  - &l0 x\n${levels.join('')}`);
  expect(problems.slice(0, 2)).toEqual([
    'etc/shops.yaml: line 2: a value begins with & or *, which YAML reserves; put the value in quotes',
    'etc/shops.yaml: line 3: a value begins with & or *, which YAML reserves; put the value in quotes',
  ]);
  expect(problemsOf('['.repeat(100_000)).length).toBeGreaterThan(0);
});

test('names with a meaning in JavaScript are not settings', () => {
  const [unknown, ...others] = problemsOf(`shops:\n  - {__proto__: {key: a}, constructor: b}\n`);
  expect(unknown).toContain('etc/shops.yaml: shops.0 has an unknown setting');
  expect(others[0]).toContain('etc/shops.yaml: shops.0.key is not set');
});

test('an unreadable shops file is named, unless the setting may hold the content itself', () => {
  const unreadable = (path = '') => [
    `SHOPS_FILE names a file that is empty or cannot be read${path}; check its path and permissions`,
  ];
  for (const SHOPS_FILE of [shopFile(north), 'bm90IGEgcGF0aA/x', 'apiKey: x\nfile: a.yaml'])
    expect(problemsOf('', { SHOPS_FILE })).toEqual(unreadable());
  expect(problemsOf('', { SHOPS_FILE: '/etc/absent.yaml' })).toEqual(unreadable(', /etc/absent.yaml'));
  expect(problemsOf(' \n')).toEqual(unreadable(', etc/shops.yaml'));
});

test('loading again rereads the files, so that changes are picked up while running', () => {
  const files: Record<string, string> = {
    'a.json': shopFile({ ...north, apiKey: undefined, apiKeyFile: 'k' }),
    k: 'old',
  };
  const source = { env: { SHOPS_FILE: 'a.json' }, readFile: (path: string) => files[path] ?? '' };
  expect(loadConfig(source, { shop: true }).shops[0]?.apiKey).toBe('old');
  files['k'] = 'new';
  expect(loadConfig(source, { shop: true }).shops[0]?.apiKey).toBe('new');
  files['a.json'] = '{';
  expect(problemsIn(() => loadConfig(source, { shop: true }))).not.toEqual([]);
  expect(loadConfig(source, { shop: false }).shops).toEqual([]);
});

test('a variable that the file names is no typo, however similar to a setting', () => {
  const { apiKey: _apiKey, ...rest } = north;
  const env = { SHOP_API_KEY2: 'y' };
  expect(parseFile(shopFile({ ...rest, apiKeyEnv: 'SHOP_API_KEY2' }), env).shops[0]?.apiKey).toBe('y');
  const unset = 'etc/shops.yaml: shops.0.apiKeyEnv names an environment variable that is not set';
  expect(problemsOf(shopFile({ ...rest, apiKeyEnv: 'toString' }), env)).toEqual([unset]);
});

test('the secret of pseudonyms may be a variable, too', () => {
  const { shops } = parseFile(shopFile({ ...north, piiSecretEnv: 'NORTH_PII' }), { NORTH_PII: 'of north' });
  expect(shops[0]?.guestSecret).toBe('of north');
});

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  [
    'a list in place of a file',
    { apiKeyFile: ['a'] },
    '.apiKeyFile must be a single value, not a list or a mapping',
  ],
  [
    'two places of a secret',
    { apiKeyFile: 'a', apiKeyEnv: 'b' },
    '.apiKeyFile and apiKeyEnv are both set; keep one of them',
  ],
  ['nothing, in capitals', { ...north, login: 'LOGIN' }, '.login is empty; give it a value, or leave it out'],
])('in a shop, %s is refused', (_what, shop, problem) => {
  const text = shopFile(shop).replace('"LOGIN"', 'NULL');
  const env = { SHOP_URL: 'https://x.example' };
  const [first, ...told] = problemsOf(text, env);
  expect(first).toMatch(/^SHOPS_FILE is set, and so is SHOP_URL: unset SHOP_URL, since /);
  expect(told.map((line) => line.replace(/^.*?: shops\.0/, ''))).toContain(problem);
});
