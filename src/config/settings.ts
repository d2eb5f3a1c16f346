/** Every setting, once: what is read, docs/settings.md, .env.example and the help of the program are made from these tables. */
import { z } from 'zod';

import { DEFAULT_FRESHNESS } from '../plan/days/freshness.ts';
import * as types from './setting-types.ts';

/** What there is to know of a setting. */
export type Setting = {
  /** Its name in the environment. */
  readonly env: string;
  /** Completes "NAME is not set: …", and stands in help and docs. */
  readonly meaning: string;
  /** The text that counts where none is set. */
  readonly default?: string;
};

const SETTINGS_BY_TYPE = new Map<z.core.$ZodType, Setting>();

function setting<Type extends z.core.$ZodType>(type: Type, about: Setting): Type {
  SETTINGS_BY_TYPE.set(type, about);
  return type;
}

function required<Type extends z.ZodType>(env: string, type: Type, meaning: string) {
  return setting(type.clone(), { env, meaning });
}

/** Undefined where it is not set. */
function optional<Type extends z.ZodType>(env: string, type: Type, meaning: string) {
  const unset = type.optional().transform((value) => value);
  return setting(unset, { env, meaning });
}

function usually<Type extends z.ZodType<unknown, string>>(
  env: string,
  type: Type,
  usual: z.input<Type>,
  meaning: string,
) {
  return setting(z.prefault(type, usual), { env, meaning, default: usual });
}

/** Identity and login of a shop: in a shops file required, and never taken from the environment. */
export const OWN_SETTINGS = {
  key: setting(types.shopKey, {
    env: 'SHOP_KEY',
    meaning: 'a short name of the shop for the warehouse, such as north',
    default: 'default',
  }),
  url: required('SHOP_URL', types.shopUrl, 'the address of the shop, such as https://shop.example'),
  login: required('SHOP_LOGIN', types.text, 'the administrator login of its API'),
  apiKey: required('SHOP_API_KEY', types.text, 'the API key of that login'),
  timezone: required('SHOP_TIMEZONE', types.zone, "the zone of the shop's times, such as Europe/Berlin"),
};

export const SHOPS_FILE = optional(
  'SHOPS_FILE',
  types.text,
  'a file with several shops, instead of all settings above',
);

export const PRIVACY_SETTINGS = {
  piiMode: usually(
    'PII_MODE',
    types.oneOf(['keep', 'pseudonymize']),
    'keep',
    'pseudonymize: no person is stored',
  ),
  piiKeptFields: optional(
    'PII_KEPT_FIELDS',
    types.names,
    'extra order fields that are stored with pseudonymize, such as source, gift',
  ),
  piiSecret: optional(
    'PII_SECRET',
    types.longLivedSecret,
    'secret of the hashes that stand for guests; default: a random one in the warehouse',
  ),
};

/** What shops may share. */
export const SHARED_SETTINGS = {
  maxConcurrency: usually('SHOP_MAX_CONCURRENCY', types.integer(1, 64), '16', 'most requests at once'),
  maxRps: usually('SHOP_MAX_RPS', types.rate, '50', 'most requests per second'),
  charset: optional(
    'SHOP_CHARSET',
    types.charset,
    'charset of answers that name none and are not UTF-8; default: they are refused',
  ),
  historyFrom: optional(
    'SHOP_HISTORY_FROM',
    types.historyDay,
    'first day to load; default: the whole history',
  ),
  allowHttp: usually(
    'SHOP_ALLOW_HTTP',
    types.allowHttp,
    'false',
    'true, or the one host to which the key may be sent without https; always allowed for localhost',
  ),
  freshness: usually(
    'FRESHNESS',
    types.freshness,
    DEFAULT_FRESHNESS,
    'longest time between two verifications of a day, by its age',
  ),
  countEvery: usually(
    'COUNT_EVERY',
    types.durationOrOff,
    '10m',
    "time within which all counts of a shop's orders are compared, or off",
  ),
  ...PRIVACY_SETTINGS,
};

/** The settings of a shop, by their names in the shops file. */
export const SHOP_SETTINGS = { ...OWN_SETTINGS, ...SHARED_SETTINGS };

/** What is not of one shop. */
export const COMMON_SETTINGS = {
  databaseUrl: optional(
    'DATABASE_URL',
    types.databaseUrl,
    'PostgreSQL 15 or later; default: an embedded one in .order-sync/',
  ),
  databasePassword: optional(
    'DATABASE_PASSWORD',
    types.text,
    'password of the database, if DATABASE_URL has none',
  ),
  databaseConnections: usually(
    'DATABASE_CONNECTIONS',
    types.integer(5, 1_000),
    '20',
    'most connections of one process to the database, 5 or more',
  ),
  syncBudgetMs: usually(
    'SYNC_BUDGET',
    types.duration,
    '4m',
    'time after which a sweep of a shop begins nothing new',
  ),
  syncCron: usually('SYNC_CRON', types.cron, '* * * * *', 'when a worker looks for what is due, in UTC'),
  rawKeptMs: optional(
    'RAW_KEPT',
    types.retention,
    "time after which the shop's answers in raw are removed, such as 365d; default: never",
  ),
  /** 0 picks a free one. */
  port: usually('PORT', types.integer(0, 65_535), '8080', 'port of the status page and the metrics'),
  opsPassword: optional(
    'OPS_PASSWORD',
    types.text,
    'password of the status page and the metrics; health needs none; default: none',
  ),
  /** A secret: anyone who knows it can post there. */
  alertWebhookUrl: optional(
    'ALERT_WEBHOOK_URL',
    types.webhookUrl,
    'webhook for alerts about shops, such as one of Slack',
  ),
  logLevel: optional(
    'LOG_LEVEL',
    types.oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'trace, debug, info, warn, error, fatal or silent; default: info',
  ),
};

/** @throws Error for a type that is no setting */
export function settingOf(type: z.core.$ZodType | undefined): Setting {
  const about = type && SETTINGS_BY_TYPE.get(type);
  if (about === undefined) throw new Error('this type is of no setting');
  return about;
}

/** Every setting, as the page of settings lists them; each can also come from a file, as `NAME_FILE`. */
export const SETTINGS: readonly Setting[] = [
  ...Object.values(OWN_SETTINGS),
  SHOPS_FILE,
  ...Object.values(SHARED_SETTINGS),
  ...Object.values(COMMON_SETTINGS),
].map(settingOf);
export const SETTING_NAMES = SETTINGS.map(({ env }) => env);
