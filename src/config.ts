import {
  DEFAULT_FRESHNESS,
  type FreshnessPolicy,
  parseDurationMs,
  parseFreshness,
} from './plan/freshness.ts';
import { Settings, type SettingsSource } from './settings.ts';

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
  readonly historyFrom: Temporal.PlainDate | undefined;
  readonly freshness: FreshnessPolicy;
  readonly linesMaxAgeMs: number;
  readonly usersMaxAgeMs: number;
  readonly groupsMaxAgeMs: number;
  readonly hashKey: string;
};

export type Config = {
  /** Undefined where the command needs no shop. */
  readonly shop: ShopConfig | undefined;
  /** Undefined: the embedded database. */
  readonly databaseUrl: string | undefined;
  /** Of shops that are only reported on; each configured shop has its own. */
  readonly freshness: FreshnessPolicy;
  readonly syncBudgetMs: number;
  /** Undefined: `info`, or `warn` where a person watches. */
  readonly logLevel: string | undefined;
};

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * Parses the settings that a command needs.
 *
 * @param source environment values, and how to read a file that one of them names
 * @throws ConfigError with every problem found
 */
export function parseConfig(source: SettingsSource, needs: { readonly shop: boolean }): Config {
  const settings = new Settings(source);
  const config = {
    shop: needs.shop ? shopConfig(settings) : undefined,
    databaseUrl: settings.parsed('DATABASE_URL', parseDatabaseUrl, undefined),
    freshness: freshnessOf(settings),
    syncBudgetMs: duration(settings, 'SYNC_BUDGET', '4m'),
    logLevel: settings.parsed('LOG_LEVEL', oneOf(LOG_LEVELS), undefined),
  };
  settings.refuseProblems();
  return config;
}

function shopConfig(settings: Settings): ShopConfig {
  settings.refuse(
    'SHOPS_FILE',
    'is not supported yet; set SHOP_URL, SHOP_LOGIN, SHOP_API_KEY and SHOP_TIMEZONE',
  );
  const shopKey = settings.parsed('SHOP_KEY', parseShopKey, 'default');
  const allowHttp = settings.parsed('SHOP_ALLOW_HTTP', oneOf(['true', 'false']), 'false') === 'true';
  return {
    shopKey,
    baseUrl: settings.required('SHOP_URL', 'the address of the shop, such as https://shop.example', (text) =>
      parseShopUrl(text, allowHttp),
    ),
    login: settings.required('SHOP_LOGIN', 'the administrator login of its API', (text) => text),
    apiKey: settings.required('SHOP_API_KEY', 'the API key of that login', (text) => text),
    timezone: settings.required(
      'SHOP_TIMEZONE',
      "the zone of the shop's times, such as Europe/Berlin",
      parseZone,
    ),
    maxConcurrency: settings.parsed('SHOP_MAX_CONCURRENCY', integerBetween(1, 64), 4),
    maxRps: settings.parsed('SHOP_MAX_RPS', parseRate, 10),
    pageLimit: settings.parsed('SHOP_PAGE_LIMIT', integerBetween(2, 10_000), 500),
    historyFrom: settings.parsed('SHOP_HISTORY_FROM', parseDay, undefined),
    freshness: freshnessOf(settings),
    linesMaxAgeMs: duration(settings, 'LINES_MAX_AGE', '7d'),
    usersMaxAgeMs: duration(settings, 'USERS_MAX_AGE', '7d'),
    groupsMaxAgeMs: duration(settings, 'GROUPS_MAX_AGE', '1d'),
    hashKey: settings.parsed('PII_SECRET', (text) => text, `order-sync ${shopKey}`),
  };
}

function freshnessOf(settings: Settings): FreshnessPolicy {
  return settings.parsed('FRESHNESS', parseFreshness, parseFreshness(DEFAULT_FRESHNESS));
}

/** Days as `2024-01-31`. @throws RangeError */
export function parseDay(text: string): Temporal.PlainDate {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) throw new RangeError('must be a day, such as 2024-01-31');
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    throw new RangeError('is a day that does not exist');
  }
}

function duration(settings: Settings, name: string, fallback: string): number {
  const parse = (text: string) => {
    const ms = parseDurationMs(text);
    if (ms === undefined || ms === 0) throw new RangeError('must be a duration, such as 90s, 5m, 6h or 7d');
    return ms;
  };
  return settings.parsed(name, parse, parse(fallback));
}

function parseShopUrl(text: string, allowHttp: boolean): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new RangeError('must be an address, such as https://shop.example');
  }
  if (url.username !== '' || url.password !== '') {
    throw new RangeError('must not hold credentials; they go into SHOP_LOGIN and SHOP_API_KEY');
  }
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback && !allowHttp) {
    throw new RangeError('would send the API key unencrypted; use https, or set SHOP_ALLOW_HTTP=true');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/adm\/api$/, '')}`;
}

function parseDatabaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new RangeError('must look like postgres://USER:PASSWORD@HOST:5432/DATABASE');
  }
  return text;
}

function parseZone(text: string): string {
  try {
    // Temporal takes offsets too, but PostgreSQL reads the sign of "+03:00" the other way round.
    if (/^[a-z]/i.test(text)) return Temporal.Now.zonedDateTimeISO(text).timeZoneId;
  } catch {
    // Refused below.
  }
  throw new RangeError('must be an IANA time zone, such as Europe/Berlin');
}

function parseShopKey(text: string): string {
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(text)) {
    throw new RangeError('must be lower-case letters, digits, - and _, at most 63');
  }
  return text;
}

function parseRate(text: string): number {
  const rate = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (rate <= 0) throw new RangeError('must be a number above 0, such as 10 or 0.5');
  return rate;
}

function integerBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most))
      throw new RangeError(`must be a whole number from ${least} to ${most}`);
    return value;
  };
}

function oneOf(values: readonly string[]): (text: string) => string {
  return (text) => {
    if (!values.includes(text)) throw new RangeError(`must be one of ${values.join(', ')}`);
    return text;
  };
}
