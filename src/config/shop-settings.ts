import { DEFAULT_FRESHNESS, type FreshnessPolicy, parseFreshness } from '../plan/freshness.ts';
import {
  integerBetween,
  parseAllowHttp,
  parseCharset,
  parseDuration,
  parseHistoryDay,
  parseRate,
  parseShopUrl,
  parseText,
  parseZone,
} from './setting-parsers.ts';

/** One shop, as configured. Times are in milliseconds. */
export type ShopConfig = {
  readonly shopKey: string;
  readonly baseUrl: string;
  readonly login: string;
  readonly apiKey: string;
  readonly timezone: string;
  readonly maxConcurrency: number;
  readonly maxRps: number;
  readonly pageLimit: number;
  /** The charset of answers that name none and are not UTF-8; undefined where none is set. */
  readonly charset: string | undefined;
  readonly historyFrom: Temporal.PlainDate | undefined;
  readonly freshness: FreshnessPolicy;
  readonly linesMaxAgeMs: number;
  readonly usersMaxAgeMs: number;
  readonly groupsMaxAgeMs: number;
  readonly guestSecret: string | undefined;
};

/** The settings of a shop: what each is called in the shops file, and in the environment. */
export const SHOP_FIELDS = {
  key: 'SHOP_KEY',
  url: 'SHOP_URL',
  login: 'SHOP_LOGIN',
  apiKey: 'SHOP_API_KEY',
  timezone: 'SHOP_TIMEZONE',
  maxConcurrency: 'SHOP_MAX_CONCURRENCY',
  maxRps: 'SHOP_MAX_RPS',
  pageLimit: 'SHOP_PAGE_LIMIT',
  charset: 'SHOP_CHARSET',
  historyFrom: 'SHOP_HISTORY_FROM',
  freshness: 'FRESHNESS',
  linesMaxAge: 'LINES_MAX_AGE',
  usersMaxAge: 'USERS_MAX_AGE',
  groupsMaxAge: 'GROUPS_MAX_AGE',
  allowHttp: 'SHOP_ALLOW_HTTP',
  piiSecret: 'PII_SECRET',
} as const;

export type ShopField = keyof typeof SHOP_FIELDS;

/** What says which shop it is, and how to get in: never taken from the environment for the shops of a file. */
export const OWN_FIELDS = ['key', 'url', 'login', 'apiKey', 'timezone'] as const satisfies ShopField[];
export type OwnField = (typeof OWN_FIELDS)[number];

/** For the reader who has not set it. */
export const MEANINGS: Readonly<Record<OwnField, string>> = {
  key: 'a short name of the shop for the warehouse, such as north',
  url: 'the address of the shop, such as https://shop.example',
  login: 'the administrator login of its API',
  apiKey: 'the API key of that login',
  timezone: "the zone of the shop's times, such as Europe/Berlin",
};

/** Where the settings of one shop stand. Problems are kept by it, with the place, and no value. */
export type ShopReader = {
  /** @returns what `parse` makes of the setting, or the fallback where it is not set or wrong */
  readonly parsed: <Value, Fallback>(
    field: ShopField,
    parse: (text: string) => Value,
    fallback: Fallback,
  ) => Value | Fallback;
  /** @returns likewise; an empty text where it is not set or wrong */
  readonly required: (field: OwnField, parse: (text: string) => string) => string;
  /** How a setting is written there, for advice: `SHOP_ALLOW_HTTP=true`, or `allowHttp: true`. */
  readonly spell: (field: ShopField, value?: string) => string;
};

/** @returns the shop's settings; where the reader keeps a problem, with something in its place */
export function readShop(reader: ShopReader, shopKey: string): ShopConfig {
  const { parsed, required, spell } = reader;
  const allowHttp = parsed('allowHttp', parseAllowHttp, () => false);
  const advice = {
    credentials: `${spell('login')} and ${spell('apiKey')}`,
    allowHttp: spell('allowHttp', 'true'),
  };
  return {
    shopKey,
    baseUrl: required('url', (text) => parseShopUrl(text, allowHttp, advice)),
    login: required('login', parseText),
    apiKey: required('apiKey', parseText),
    timezone: required('timezone', parseZone),
    maxConcurrency: parsed('maxConcurrency', integerBetween(1, 64), 4),
    maxRps: parsed('maxRps', parseRate, 10),
    pageLimit: parsed('pageLimit', integerBetween(2, 10_000), 500),
    charset: parsed('charset', parseCharset, undefined),
    historyFrom: parsed('historyFrom', parseHistoryDay, undefined),
    freshness: parsed('freshness', parseFreshness, parseFreshness(DEFAULT_FRESHNESS)),
    linesMaxAgeMs: parsed('linesMaxAge', parseDuration, parseDuration('7d')),
    usersMaxAgeMs: parsed('usersMaxAge', parseDuration, parseDuration('7d')),
    groupsMaxAgeMs: parsed('groupsMaxAge', parseDuration, parseDuration('1d')),
    guestSecret: parsed('piiSecret', parseText, undefined),
  };
}
