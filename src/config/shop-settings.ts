import { DEFAULT_FRESHNESS, parseFreshness } from '../plan/days/freshness.ts';
import * as types from './setting-types.ts';
import type { ProxySettings } from '../http/connection-pool.ts';
import type { SettingNames } from '../errors.ts';
import type { SettingValues } from './settings.ts';

/** Identity and login of a shop: required, and in a shops file never taken from the environment. */
export const OWN_SETTINGS = {
  key: {
    env: 'SHOP_KEY',
    type: types.shopKey,
    meaning: 'a short name of the shop for the warehouse, such as north',
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
};

export const SHARED_SETTINGS = {
  maxConcurrency: { env: 'SHOP_MAX_CONCURRENCY', type: types.integer(1, 64) },
  maxRps: { env: 'SHOP_MAX_RPS', type: types.rate },
  pageLimit: { env: 'SHOP_PAGE_LIMIT', type: types.integer(2, 10_000) },
  charset: { env: 'SHOP_CHARSET', type: types.charset },
  historyFrom: { env: 'SHOP_HISTORY_FROM', type: types.historyDay },
  freshness: { env: 'FRESHNESS', type: types.freshness },
  countEvery: { env: 'COUNT_EVERY', type: types.durationOrOff },
  allowHttp: { env: 'SHOP_ALLOW_HTTP', type: types.allowHttp },
  piiSecret: { env: 'PII_SECRET', type: types.text },
  piiMode: { env: 'PII_MODE', type: types.oneOf(['keep', 'pseudonymize']) },
  piiKeptFields: { env: 'PII_KEPT_FIELDS', type: types.names },
};

/** The settings of a shop, by their names in the shops file. */
export const SHOP_SETTINGS = { ...OWN_SETTINGS, ...SHARED_SETTINGS };
export type ShopValues = SettingValues<typeof SHOP_SETTINGS>;

/** One shop, as configured. Times are in milliseconds. */
export type ShopConfig = Readonly<ReturnType<typeof toShopConfig>> & {
  /** Undefined: no proxy. */
  readonly proxy?: ProxySettings | undefined;
  /** Undefined: they are in the environment. */
  readonly settingNames?: SettingNames | undefined;
};

/** @param values a missing required value becomes '', since it is reported as a problem anyway */
export function toShopConfig(values: ShopValues) {
  return {
    shopKey: values.key ?? '',
    baseUrl: values.url ?? '',
    login: values.login ?? '',
    apiKey: values.apiKey ?? '',
    timezone: values.timezone ?? '',
    maxConcurrency: values.maxConcurrency ?? 16,
    maxRps: values.maxRps ?? 50,
    pageLimit: values.pageLimit ?? 500,
    /** Charset of responses that name none and are not UTF-8. */
    charset: values.charset,
    historyFrom: values.historyFrom,
    freshness: values.freshness ?? parseFreshness(DEFAULT_FRESHNESS),
    /** How often the shop is asked to count its orders; 0: never. */
    countEveryMs: values.countEvery ?? 600_000,
    /** Lines of open orders, users and groups are read again after this. */
    linesMaxAgeMs: 7 * DAY_MS,
    usersMaxAgeMs: 7 * DAY_MS,
    groupsMaxAgeMs: DAY_MS,
    ...toPrivacySettings(values),
  };
}

/** Undefined `pseudonymize`: persons are stored. */
export function toPrivacySettings(values: Pick<ShopValues, 'piiSecret' | 'piiMode' | 'piiKeptFields'>) {
  const isPseudonymizing = values.piiMode === 'pseudonymize';
  return {
    guestSecret: values.piiSecret,
    pseudonymize: isPseudonymizing ? { keptFields: values.piiKeptFields ?? [] } : undefined,
  };
}

const DAY_MS = 86_400_000;

/** Whether the API key would be sent unencrypted to a host for which this is not allowed. */
export function isUnencrypted({
  url,
  allowHttp: allowed,
}: Partial<Record<'url' | 'allowHttp', string | undefined>>): boolean {
  const { protocol, hostname } = new URL(url ?? 'https://unknown');
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === 'http:' && !isLoopback && allowed !== 'true' && allowed !== hostname;
}
