import { expect, test } from 'vitest';

import { loadConfig } from '../../src/config/load-config.ts';

import { ConfigError } from '../../src/model/errors.ts';
import { DEFAULT_FRESHNESS, parseFreshness } from '../../src/plan/days/freshness.ts';
import { complete, names, parse, parseShop, problemsOf } from '../support/settings.ts';

const [MINUTE, DAY] = [60_000, 86_400_000];

test('four shop settings are enough: everything else has a default', () => {
  expect(parse(complete)).toEqual({
    shops: [
      {
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
      },
    ],
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
  });
});

test('every setting is read and trimmed', () => {
  const config = parse({
    ...complete,
    SHOP_KEY: ' north-2 ',
    SHOP_MAX_CONCURRENCY: '1',
    SHOP_MAX_RPS: '0.5',
    SHOP_CHARSET: 'CP1251',
    SHOP_HISTORY_FROM: '2020-02-29',
    FRESHNESS: '1d:1m, *:2d',
    COUNT_EVERY: 'off',
    PII_SECRET: 'hash key',
    DATABASE_URL: 'postgresql://me:pw@db.example:5433/orders?sslmode=require',
    DATABASE_CONNECTIONS: '30',
    SYNC_BUDGET: '30s',
    SYNC_CRON: '30 2 * * 1-5',
    RAW_KEPT: '1000d',
    OPS_PASSWORD: ' to look at ',
    PORT: '0',
    ALERT_WEBHOOK_URL: 'https://hooks.example/abc',
    LOG_LEVEL: 'debug',
    NODE_ENV: 'production',
  });
  expect(config).toEqual({
    shops: [
      {
        ...parseShop(complete),
        shopKey: 'north-2',
        maxConcurrency: 1,
        maxRps: 0.5,
        charset: 'windows-1251',
        historyFrom: Temporal.PlainDate.from('2020-02-29'),
        freshness: parseFreshness('1d:1m, *:2d'),
        countEveryMs: 0,
        linesMaxAgeMs: 7 * DAY,
        usersMaxAgeMs: 7 * DAY,
        groupsMaxAgeMs: DAY,
        guestSecret: 'hash key',
      },
    ],
    proxy: undefined,
    databaseUrl: 'postgresql://me:pw@db.example:5433/orders?sslmode=require',
    databaseConnections: 30,
    syncBudgetMs: 30_000,
    syncConcurrency: 4,
    syncCron: '30 2 * * 1-5',
    runsKeptMs: 90 * DAY,
    rawKeptMs: 1000 * DAY,
    port: 0,
    opsPassword: 'to look at',
    alertWebhookUrl: 'https://hooks.example/abc',
    logLevel: 'debug',
    isProduction: true,
  });
});

test('a history may begin today, wherever the shop is', () => {
  const today = Temporal.Now.zonedDateTimeISO('Pacific/Kiritimati').toPlainDate();
  const { shops } = parse({ ...complete, SHOP_HISTORY_FROM: today.toString() });
  expect(shops[0]?.historyFrom).toEqual(today);
});

test('with nothing set, each required setting is named once with its meaning', () => {
  const problems = problemsOf({});
  expect(names(problems)).toEqual(['SHOP_URL', 'SHOP_LOGIN', 'SHOP_API_KEY', 'SHOP_TIMEZONE']);
  for (const problem of problems) expect(problem).toMatch(/^\w+ is not set: \w+/);
});

test('with half of them set, only missing settings are named; an empty one is missing', () => {
  const problems = problemsOf({ ...complete, SHOP_LOGIN: undefined, SHOP_API_KEY: '  ' });
  expect(names(problems)).toEqual(['SHOP_LOGIN', 'SHOP_API_KEY']);
});

test('a command without a shop requires none, but validates the settings it uses', () => {
  expect(parse({}, false)).toEqual({
    shops: [],
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
  });
  expect(names(problemsOf({ SHOP_URL: 'nonsense', LOG_LEVEL: 'loud' }, false))).toEqual(['LOG_LEVEL']);
});

const allWrong = {
  SHOP_URL: 'shop.example',
  SHOP_API_KEY_FILE: '/nowhere/at/all',
  SHOP_TIMEZONE: 'Moscow',
  SHOP_KEY: 'Мой магазин',
  SHOP_ALLOW_HTTP: 'yes',
  SHOP_MAX_CONCURRENCY: '0',
  SHOP_MAX_RPS: 'fast',
  SHOP_HISTORY_FROM: '01.02.2024',
  FRESHNESS: '2d:5m',
  COUNT_EVERY: 'seldom',
  PII_SECRET: 'x',
  PII_SECRET_FILE: '/nowhere/either',
  DATABASE_URL: 'mysql://db.example/orders',
  SYNC_BUDGET: '-1m',
  SYNC_CRON: 'hourly',
  PORT: '65536',
  ALERT_WEBHOOK_URL: 'hooks.example',
  LOG_LEVEL: 'INFO',
};

test('with every setting wrong, each is named once', () => {
  const wrong = Object.keys(allWrong).filter((name) => name !== 'PII_SECRET_FILE');
  expect(names(problemsOf(allWrong)).toSorted()).toEqual([...wrong, 'SHOP_LOGIN'].toSorted());
});

test.each([
  ['SHOP_URL', ['ftp://shop.example', '//shop.example', 'https://'], 'must be an address'],
  [
    'SHOP_URL',
    ['https://admin:k3y@shop.example', 'https://admin@shop.example'],
    'must not contain credentials',
  ],
  [
    'SHOP_TIMEZONE',
    ['Berlin', '+03:00', '-0500', 'UTC+3', '2026-03-01T00:00[Europe/Berlin]', 'GMT 3'],
    'must be the IANA',
  ],
  ['SHOP_KEY', ['-a', 'A', 'a b', 'a.b', 'a'.repeat(64)], 'must be lower-case letters'],
  ['SHOP_MAX_CONCURRENCY', ['0', '65', '-1', '4.0', '1e1', 'x'], 'must be a whole number from 1 to 64'],
  [
    'SHOP_CHARSET',
    ['cyrillic-1251', 'utf8mb4', 'iso-2022-cn'],
    'must be a charset, such as windows-1251, koi8-r or utf-8',
  ],
  ['SHOP_MAX_RPS', ['0', '0.0', '-1', '1e1', 'NaN', '0.0001', '.5'], 'must be a number above 0'],
  ['SHOP_HISTORY_FROM', ['2024-1-1', '20240101', '2024-01-01T00:00'], 'must be a day'],
  ['SHOP_HISTORY_FROM', ['2023-02-29', '2024-13-01', '2024-00-10'], 'must be a day that exists'],
  ['SHOP_HISTORY_FROM', ['2199-01-01'], 'is in the future'],
  [
    'SHOP_HISTORY_FROM',
    ['0000-01-01', '0001-01-01', '1969-12-31'],
    'must be a day in the years 1970 to 2200',
  ],
  ['PII_MODE', ['pseudonymise', 'KEEP'], 'must be one of keep, pseudonymize'],
  ['PII_KEPT_FIELDS', [',', ' , '], 'must be a list'],
  ['FRESHNESS', ['soon', '2d:5m, 1d:1h, *:7d'], ''],
  ['SYNC_BUDGET', ['0s', '4', '4 minutes'], 'must be a duration'],
  ['DATABASE_URL', ['localhost:5432', 'http://db.example', 'db'], 'must look like postgres://'],
  ['SYNC_CRON', ['*/0 * * * *', '61 * * * *', '* * * *', '5m'], 'must be a cron expression'],
  ['PORT', ['65536', '-1', '80a', 'tcp://10.0.0.1:80'], 'must be a whole number from 0 to 65535'],
  [
    'ALERT_WEBHOOK_URL',
    ['hooks.example', 'ftp://hooks.example', 'https://a:b@hooks.example'],
    'must be an address',
  ],
  ['LOG_LEVEL', ['verbose'], 'must be one of trace, debug, info, warn, error, fatal, silent'],
])('%s refuses %j', (name, values, complaint) => {
  for (const value of values) {
    const problems = problemsOf({ ...complete, [name]: value });
    expect(problems, value).toHaveLength(1);
    expect(problems[0]).toContain(`${name} ${complaint}`);
  }
});

test.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['UTC', 'UTC'],
  ['Etc/GMT-3', 'Etc/GMT-3'],
])('the zone %s is %s', (text, zone) => {
  expect(parseShop({ ...complete, SHOP_TIMEZONE: text }).timezone).toBe(zone);
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
