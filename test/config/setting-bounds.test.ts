/** What each setting may be: the least and the most that is accepted, and what is just beyond. */
import { expect, test } from 'vitest';

import { parseFreshness } from '../../src/plan/days/freshness.ts';
import { complete, parse, problemsOf } from '../support/settings.ts';

type Bounds = {
  readonly name: string;
  /** Of the configuration or its shop. */
  readonly field: string;
  readonly accepted: Readonly<Record<string, unknown>>;
  readonly refused: readonly string[];
  /** What is wrong with them. */
  readonly says: RegExp;
  readonly with?: Readonly<Record<string, string>>;
};

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const NOT_WHOLE = ['1.5', '-1', '+5', '1e2', '0x10', 'five', '5 5'];
const duration = (name: string, field: string): Bounds => ({
  name,
  field,
  accepted: { '1s': SECOND, '90s': 90 * SECOND, '5 m': 5 * MINUTE, '6h': 6 * HOUR, '999999d': 999_999 * DAY },
  refused: ['0s', '0d', '1000000s', '5', 'off', '-1s', '1.5h', '1w', '1S'],
  says: /must be a duration, such as 90s, 5m, 6h or 7d$/,
});
const retention = (name: string, field: string): Bounds => ({
  name,
  field,
  accepted: { '1d': DAY, '24h': DAY, '400d': 400 * DAY },
  refused: ['86399s', '23h', '0d', 'off'],
  says: /must be at least 1d$|must be a duration, /,
});
const whole = (name: string, field: string, least: number, most: number): Bounds => ({
  name,
  field,
  accepted: { [least]: least, [most]: most },
  refused: [String(least - 1), String(most + 1), '1000000000', ...NOT_WHOLE],
  says: new RegExp(`must be a whole number from ${least} to ${most}$`),
});
const HTTP = 'http://shop.example';
const words = (text: string) => text.split(' ');

const BOUNDS: readonly Bounds[] = [
  whole('DATABASE_CONNECTIONS', 'databaseConnections', 5, 1_000),
  whole('PORT', 'port', 0, 65_535),
  whole('SHOP_MAX_CONCURRENCY', 'maxConcurrency', 1, 64),
  duration('SYNC_BUDGET', 'syncBudgetMs'),
  retention('RAW_KEPT', 'rawKeptMs'),
  {
    name: 'COUNT_EVERY',
    field: 'countEveryMs',
    accepted: { off: 0, OFF: 0, '0': 0, '1s': SECOND, '6h': 6 * HOUR },
    refused: ['0s', 'no', 'offs', 'an off', '00', '5'],
    says: /must be a duration, such as 1m or 6h, or off$/,
  },
  {
    name: 'SHOP_MAX_RPS',
    field: 'maxRps',
    accepted: { '0.001': 0.001, '0.5': 0.5, '10': 10, '999999.999': 999_999.999 },
    refused: ['0', '0.000', '0.0001', '1000000', '.5', '5.', '-1', '1,5', '1e3', '1 0'],
    says: /must be a number above 0 and below 1,000,000, /,
  },
  {
    name: 'SHOP_HISTORY_FROM',
    field: 'historyFrom',
    accepted: { '1970-01-01': Temporal.PlainDate.from('1970-01-01') },
    refused: [
      '1969-12-31',
      '2999-01-01',
      '2199-01-01',
      '2020-02-30',
      '2020-1-01',
      '20200101',
      '2020-01-01T00:00',
      '+002020-01-01',
    ],
    says: /must be a day (that exists|in the years 1970 to 2200)|is in the future: no orders would be loaded$/,
  },
  {
    name: 'PII_KEPT_FIELDS',
    field: 'pseudonymize',
    with: { PII_MODE: 'pseudonymize' },
    accepted: { source: { keptFields: ['source'] }, ', a ,,b c,': { keptFields: ['a', 'b c'] } },
    refused: [',', ' , '],
    says: /must be a list, such as source, gift_wrap$/,
  },
  {
    name: 'SHOP_URL',
    field: 'baseUrl',
    accepted: {
      'https://Shop.example/': 'https://shop.example',
      'https://shop.example/a//': 'https://shop.example/a',
      'https://shop.example/adm/api/': 'https://shop.example',
      'https://shop.example/adm/api/x': 'https://shop.example/adm/api/x',
      'https://shop.example/adm/apis': 'https://shop.example/adm/apis',
      'http://localhost:8080': 'http://localhost:8080',
      'http://127.0.0.1': 'http://127.0.0.1',
      'http://127.1.2.3': 'http://127.1.2.3',
      'https://SHOP.example:8443': 'https://shop.example:8443',
      'https://shop.example/store/adm/api': 'https://shop.example/store',
      'http://[::1]:1': 'http://[::1]:1',
    },
    refused: [
      ...words('shop.example ftp://shop.example https://shop.example?a=1 https://shop.example#a https://'),
      ...words(
        'https://me@shop.example https://:pw@shop.example http://shop.example http://127.0.0.1.example',
      ),
      ...words('http://localhost.example http://a.localhost.example http://xlocalhost'),
      ...words('http://10.0.0.1 http://[::2] http://0.0.0.0'),
    ],
    says: /must be an address|must not contain credentials|would send the API key unencrypted; use https, or set SHOP_ALLOW_HTTP=true/,
  },
  {
    name: 'SHOP_ALLOW_HTTP',
    field: 'baseUrl',
    with: { SHOP_URL: HTTP },
    accepted: { true: HTTP, TRUE: HTTP, 'Shop.example': HTTP },
    refused: ['1', 'YES', 'On', 'no', 'shop.example:80', 'h'.repeat(254), 'a b'],
    says: /must be true, false or the name of one host$/,
  },
  ...['false', 'other.example', 'hop.example'].map((allowed) => ({
    name: 'SHOP_URL',
    field: 'baseUrl',
    with: { SHOP_ALLOW_HTTP: allowed },
    accepted: { 'http://localhost': 'http://localhost' },
    refused: [HTTP],
    says: /would send the API key unencrypted/,
  })),
  {
    name: 'SHOP_CHARSET',
    field: 'charset',
    accepted: { 'Windows-1251': 'windows-1251', 'koi8-r': 'koi8-r', latin1: 'windows-1252' },
    refused: ['replacement', 'iso-2022-kr', 'iso-2022-cn', 'cyrillic-1251', 'klingon'],
    says: /must be a charset, such as windows-1251, koi8-r or utf-8$/,
  },
  {
    name: 'SHOP_KEY',
    field: 'shopKey',
    accepted: { '0': '0', 'a-b_c': 'a-b_c', [`a${'b'.repeat(62)}`]: `a${'b'.repeat(62)}` },
    refused: ['-a', '_a', 'A', 'a b', 'ä', 'a.b', 'a'.repeat(64)],
    says: /must be lower-case letters, digits, - and _, at most 63$/,
  },
  {
    name: 'SHOP_TIMEZONE',
    field: 'timezone',
    accepted: { UTC: 'UTC', 'europe/berlin': 'Europe/Berlin', 'Etc/GMT-3': 'Etc/GMT-3' },
    refused: [...words('+03:00 -0500 -05 UTC+3 Berlin Europe 3 2026-03-01T00:00[Europe/Berlin]'), 'GMT 3'],
    says: /must be the IANA time zone of a city/,
  },
  {
    name: 'ALERT_WEBHOOK_URL',
    field: 'alertWebhookUrl',
    accepted: { 'http://hooks.example/a?b=c': 'http://hooks.example/a?b=c' },
    refused: ['hooks.example', 'mailto:a@b.example', 'https://me@hooks.example', 'https://:pw@hooks.example'],
    says: /must be an address without user and password/,
  },
  {
    name: 'DATABASE_URL',
    field: 'databaseUrl',
    accepted: { 'postgres://db': 'postgres://db', 'postgresql://db/a': 'postgresql://db/a' },
    refused: ['mysql://db', 'db', 'https://db'],
    says: /must look like postgres:\/\//,
  },
  {
    name: 'LOG_LEVEL',
    field: 'logLevel',
    accepted: { trace: 'trace', info: 'info', fatal: 'fatal', silent: 'silent' },
    refused: ['verbose', 'INFO'],
    says: /must be one of trace, debug, info, warn, error, fatal, silent$/,
  },
  {
    name: 'SYNC_CRON',
    field: 'syncCron',
    accepted: { '*/5 * * * *': '*/5 * * * *' },
    refused: ['* * *', '61 * * * *', '*/0 * * * *'],
    says: /must be a cron expression in UTC/,
  },
  {
    name: 'PII_MODE',
    field: 'pseudonymize',
    accepted: { keep: undefined, pseudonymize: { keptFields: [] } },
    refused: ['pseudonymise'],
    says: /must be one of keep, pseudonymize$/,
  },
  {
    name: 'FRESHNESS',
    field: 'freshness',
    accepted: { '*:7d': parseFreshness('*:7d') },
    refused: ['2d:5m, 1d:1h, *:7d'],
    says: /"1d:1h" is out of place/,
  },
];

test.each(BOUNDS)(
  '$name is accepted to its bounds, and not beyond',
  ({ name, field, accepted, refused, says, ...more }) => {
    const env = (value: string) => ({ ...complete, ...more.with, [name]: value });
    for (const [value, expected] of Object.entries(accepted)) {
      const config = parse(env(value));
      expect(Object.entries({ ...config, ...config.shops[0] }), value).toContainEqual([field, expected]);
    }
    for (const value of refused) {
      const problem = expect.stringMatching(new RegExp(`^${name} (?:${says.source})`));
      expect(problemsOf(env(value)), value).toContainEqual(problem);
    }
  },
);
