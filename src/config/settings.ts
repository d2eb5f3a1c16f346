/** Every setting, once: what is read, the help of commands, docs/settings.md and .env.example are made from these tables. */
import { DEFAULT_FRESHNESS } from '../plan/days/freshness.ts';
import type { Setting, SettingValues } from './read-settings.ts';
import * as types from './setting-types.ts';

/** Identity and login of a shop: required, and in a shops file never taken from the environment. */
export const OWN_SETTINGS = {
  key: {
    env: 'SHOP_KEY',
    type: types.shopKey,
    meaning: 'a short name of the shop for the warehouse, such as north',
    default: 'default',
  },
  url: {
    env: 'SHOP_URL',
    type: types.shopUrl,
    meaning: 'the address of the shop, such as https://shop.example',
  },
  login: { env: 'SHOP_LOGIN', type: types.text, meaning: 'the administrator login of its API' },
  apiKey: { env: 'SHOP_API_KEY', type: types.text, meaning: 'the API key of that login' },
  timezone: {
    env: 'SHOP_TIMEZONE',
    type: types.zone,
    meaning: "the zone of the shop's times, such as Europe/Berlin",
  },
} satisfies Record<string, Setting>;

export const SHOPS_FILE = {
  path: { env: 'SHOPS_FILE', type: types.text, meaning: 'a file with several shops, in place of all above' },
} satisfies Record<string, Setting>;

export const SHARED_SETTINGS = {
  maxConcurrency: {
    env: 'SHOP_MAX_CONCURRENCY',
    type: types.integer(1, 64),
    meaning: 'most requests at once',
    default: '16',
  },
  maxRps: { env: 'SHOP_MAX_RPS', type: types.rate, meaning: 'most requests per second', default: '50' },
  charset: {
    env: 'SHOP_CHARSET',
    type: types.charset,
    meaning: 'charset of answers that name none and are not UTF-8; without it they are refused',
  },
  historyFrom: {
    env: 'SHOP_HISTORY_FROM',
    type: types.historyDay,
    meaning: 'first day to load; default: all there are',
  },
  allowHttp: {
    env: 'SHOP_ALLOW_HTTP',
    type: types.allowHttp,
    meaning: 'true, or a host to which the key may go unencrypted; this machine always',
    default: 'false',
  },
  freshness: {
    env: 'FRESHNESS',
    type: types.freshness,
    meaning: 'age of a day: longest time between its verifications',
    default: DEFAULT_FRESHNESS,
  },
  countEvery: {
    env: 'COUNT_EVERY',
    type: types.durationOrOff,
    meaning: 'within what time a shop is asked for all counts of its orders, or off',
    default: '10m',
  },
  piiMode: {
    env: 'PII_MODE',
    type: types.oneOf(['keep', 'pseudonymize']),
    meaning: 'pseudonymize: no person is stored',
    default: 'keep',
  },
  piiKeptFields: {
    env: 'PII_KEPT_FIELDS',
    type: types.names,
    meaning: 'extra fields that are stored all the same, such as source, gift',
  },
  piiSecret: {
    env: 'PII_SECRET',
    type: types.text,
    meaning: 'secret of the hashes that stand for guests; default: a random one in the warehouse',
  },
} satisfies Record<string, Setting>;

/** The settings of a shop, by their names in the shops file. */
export const SHOP_SETTINGS = { ...OWN_SETTINGS, ...SHARED_SETTINGS };
export type ShopValues = SettingValues<typeof SHOP_SETTINGS>;

/** What is not of one shop. */
export const COMMON_SETTINGS = {
  databaseUrl: {
    env: 'DATABASE_URL',
    type: types.databaseUrl,
    meaning: 'PostgreSQL 15 or later; else an embedded one in .order-sync/',
  },
  databasePassword: {
    env: 'DATABASE_PASSWORD',
    type: types.text,
    meaning: 'its password, where DATABASE_URL holds none',
  },
  databaseConnections: {
    env: 'DATABASE_CONNECTIONS',
    type: types.integer(5, 1_000),
    meaning: 'connections of one process to it at most, 5 or more',
    default: '20',
  },
  syncBudgetMs: {
    env: 'SYNC_BUDGET',
    type: types.duration,
    meaning: 'time after which a sweep of a shop begins nothing new',
    default: '4m',
  },
  syncCron: {
    env: 'SYNC_CRON',
    type: types.cron,
    meaning: 'when a worker looks what is due, UTC',
    default: '* * * * *',
  },
  rawKeptMs: {
    env: 'RAW_KEPT',
    type: types.retention,
    meaning: "time after which the shop's answers in raw are removed, such as 365d; default: never",
  },
  /** 0 picks a free one. */
  port: {
    env: 'PORT',
    type: types.integer(0, 65_535),
    meaning: 'port of the status page and the metrics',
    default: '8080',
  },
  opsPassword: {
    env: 'OPS_PASSWORD',
    type: types.text,
    meaning: 'password of the status page and the metrics, but for health; default: none',
  },
  /** A secret: anyone who knows it can post there. */
  alertWebhookUrl: {
    env: 'ALERT_WEBHOOK_URL',
    type: types.webhookUrl,
    meaning: 'webhook for alerts about shops, such as one of Slack',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    type: types.oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    meaning: 'trace, debug, info, warn, error, fatal or silent; default: info',
  },
} satisfies Record<string, Setting>;

/** Every setting, as the page of settings lists them; each can also come from a file, as `NAME_FILE`. */
export const SETTINGS: readonly Setting[] = [
  ...Object.values(OWN_SETTINGS),
  ...Object.values(SHOPS_FILE),
  ...Object.values(SHARED_SETTINGS),
  ...Object.values(COMMON_SETTINGS),
];
export const SETTING_NAMES = SETTINGS.map(({ env }) => env);
