import { expect, test } from 'vitest';

import { loadConfig } from '../../src/config/load-config.ts';

import { ConfigError } from '../../src/model/errors.ts';
import { DEFAULT_FRESHNESS, parseFreshness } from '../../src/plan/days/freshness.ts';
import { complete, names, parse, problemsOf } from '../support/settings.ts';

const [MINUTE, DAY] = [60_000, 86_400_000];

/** Of what is not of one shop. */
const COMMON = {
  proxy: undefined,
  databaseUrl: undefined,
  databaseConnections: 20,
  syncBudgetMs: 4 * MINUTE,
  syncConcurrency: 4,
  syncCron: '* * * * *',
  runsKeptMs: 90 * DAY,
  rawKeptMs: undefined,
  port: 8080,
  opsPassword: undefined,
  alertWebhookUrl: undefined,
  logLevel: undefined,
  isProduction: false,
};
const SHOP = {
  shopKey: 'default',
  baseUrl: 'https://shop.example',
  login: 'admin',
  apiKey: 'k3y',
  timezone: 'Europe/Berlin',
  maxConcurrency: 16,
  maxRps: 50,
  pageLimit: 500,
  charset: undefined,
  historyFrom: undefined,
  freshness: parseFreshness(DEFAULT_FRESHNESS),
  countEveryMs: 10 * MINUTE,
  linesMaxAgeMs: 7 * DAY,
  usersMaxAgeMs: 7 * DAY,
  groupsMaxAgeMs: DAY,
  guestSecret: undefined,
};

test('four shop settings are enough: everything else has a default', () => {
  expect(parse(complete)).toEqual({ ...COMMON, shops: [SHOP] });
  const trimmed = parse({
    ...complete,
    SHOP_KEY: ' north-2 ',
    OPS_PASSWORD: ' to look at ',
    NODE_ENV: 'production',
  });
  const changed = { opsPassword: 'to look at', isProduction: true };
  expect(trimmed).toEqual({ ...COMMON, ...changed, shops: [{ ...SHOP, shopKey: 'north-2' }] });
});

test('a history may begin today, wherever the shop is', () => {
  const today = Temporal.Now.zonedDateTimeISO('Pacific/Kiritimati').toPlainDate();
  const { shops } = parse({ ...complete, SHOP_HISTORY_FROM: today.toString() });
  expect(shops[0]?.historyFrom).toEqual(today);
});

test('without any setting, each required one is named once with its meaning', () => {
  const problems = problemsOf({});
  expect(names(problems)).toEqual(['SHOP_URL', 'SHOP_LOGIN', 'SHOP_API_KEY', 'SHOP_TIMEZONE']);
  for (const problem of problems) expect(problem).toMatch(/^\w+ is not set: \w+/);
});

test('only missing settings are named, and an empty one counts as missing', () => {
  const problems = problemsOf({ ...complete, SHOP_LOGIN: undefined, SHOP_API_KEY: '  ' });
  expect(names(problems)).toEqual(['SHOP_LOGIN', 'SHOP_API_KEY']);
});

test('a command without a shop requires none, but validates the settings it uses', () => {
  expect(parse({}, false)).toEqual({ ...COMMON, shops: [] });
  expect(names(problemsOf({ SHOP_URL: 'nonsense', LOG_LEVEL: 'loud' }, false))).toEqual(['LOG_LEVEL']);
});

test('the error message contains every problem, one per line', () => {
  expect(() => parse({ ...complete, LOG_LEVEL: 'loud', SYNC_BUDGET: '' })).toThrow(ConfigError);
  const run = () => parse({ SHOP_LOGIN: 'a', SHOP_API_KEY: 'b' });
  expect(run).toThrow(/^SHOP_URL is not set[^\n]*\nSHOP_TIMEZONE is not set[^\n]*$/);
});

test('the database password can be set separately from the address', () => {
  const url = 'postgres://me@db.example:5433/orders?sslmode=require';
  const config = parse({ DATABASE_URL: url, DATABASE_PASSWORD: 'p@ss/w%rd :#' }, false);
  const whole = new URL(config.databaseUrl ?? '');
  expect(decodeURIComponent(whole.password)).toBe('p@ss/w%rd :#');
  whole.password = '';
  expect(whole.href).toBe(url);
  expect(names(problemsOf({ DATABASE_PASSWORD: 'secret' }, false))).toEqual(['DATABASE_PASSWORD']);
  const twice = { DATABASE_URL: 'postgres://me:one@db.example/orders', DATABASE_PASSWORD: 'two' };
  expect(problemsOf(twice, false)).toEqual([
    'DATABASE_URL contains a password, and DATABASE_PASSWORD is set too; keep one of them',
  ]);
});

test.each([
  [1, 4],
  [20, 4],
  [21, 5],
  [200, 40],
  [1_000, 40],
])('a worker of %i shops sweeps %i at once', (count, atOnce) => {
  const shops = Array.from({ length: count }, (_, index) => ({
    key: `shop-${index}`,
    url: `https://shop-${index}.example`,
    login: 'admin',
    apiKey: 'k3y',
    timezone: 'UTC',
  }));
  const source = { env: { SHOPS_FILE: 'shops.yaml' }, readFile: () => JSON.stringify({ shops }) };
  expect(loadConfig(source, { shop: true }).syncConcurrency).toBe(atOnce);
});
