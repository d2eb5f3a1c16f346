import { DEFAULT_FRESHNESS, type FreshnessPolicy, parseFreshness } from './plan/freshness.ts';
import { mistypedSettings } from './config/mistyped-settings.ts';
import {
  integerBetween,
  oneOf,
  parseCron,
  parseDatabaseUrl,
  parseDuration,
  parsePiiMode,
  parseShopKey,
  parseText,
  parseWebhookUrl,
  refuseUnverifiedTls,
} from './config/setting-parsers.ts';
import { Settings, type SettingsSource } from './config/settings.ts';
import { MEANINGS, OWN_FIELDS, readShop, SHOP_FIELDS, type ShopConfig } from './config/shop-settings.ts';
import { readShopsFile } from './config/shops-file.ts';

export type Config = {
  /** In the order in which they are configured; none where the command needs none. */
  readonly shops: readonly ShopConfig[];
  /** Undefined: the embedded database. */
  readonly databaseUrl: string | undefined;
  /** Of shops that are only reported on; each configured shop has its own. */
  readonly freshness: FreshnessPolicy;
  /** Of one shop's sweep. */
  readonly syncBudgetMs: number;
  /** Shops that one worker sweeps at once. */
  readonly syncConcurrency: number;
  /** When the worker looks for what is due: five or six fields, in UTC. */
  readonly syncCron: string;
  /** Of the worker's ops server; 0 takes any free one. */
  readonly port: number;
  /** Told of failed and stale shops. A secret: whoever knows it can post there. */
  readonly alertWebhookUrl: string | undefined;
  /** Undefined: `info`, or `warn` where a person watches. */
  readonly logLevel: string | undefined;
};

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const OWN_NAMES = OWN_FIELDS.map((field) => SHOP_FIELDS[field]);
const COMMON_NAMES = [
  'DATABASE_URL',
  'DATABASE_PASSWORD',
  'FRESHNESS',
  'SYNC_BUDGET',
  'SYNC_CONCURRENCY',
  'SYNC_CRON',
  'PORT',
  'ALERT_WEBHOOK_URL',
  'LOG_LEVEL',
];

/** Every setting; each may also be a file, as `NAME_FILE`. */
export const SETTING_NAMES = [...new Set(['SHOPS_FILE', ...Object.values(SHOP_FIELDS), ...COMMON_NAMES])];

/**
 * Parses the settings that a command needs. It keeps nothing from call to call, so calling it again reads the files
 * anew.
 *
 * @param source environment values, and how to read a file that one of them names
 * @throws ConfigError with every problem found; none repeats a secret
 */
export function parseConfig(source: SettingsSource, needs: { readonly shop: boolean }): Config {
  const settings = new Settings(source);
  const config = {
    shops: needs.shop ? shopsOf(settings, source) : [],
    databaseUrl: databaseUrlOf(settings),
    freshness: settings.parsed('FRESHNESS', parseFreshness, parseFreshness(DEFAULT_FRESHNESS)),
    syncBudgetMs: settings.parsed('SYNC_BUDGET', parseDuration, parseDuration('4m')),
    syncConcurrency: settings.parsed('SYNC_CONCURRENCY', integerBetween(1, 100), 4),
    syncCron: settings.parsed('SYNC_CRON', parseCron, '*/5 * * * *'),
    port: settings.parsed('PORT', integerBetween(0, 65_535), 8080),
    alertWebhookUrl: settings.parsed('ALERT_WEBHOOK_URL', parseWebhookUrl, undefined),
    logLevel: settings.parsed('LOG_LEVEL', oneOf(LOG_LEVELS), undefined),
  };
  settings.parsed('PII_MODE', parsePiiMode, undefined);
  settings.parsed('NODE_TLS_REJECT_UNAUTHORIZED', refuseUnverifiedTls, undefined);
  if (!needs.shop) refuseMistyped(settings, source, COMMON_NAMES);
  settings.refuseProblems();
  return config;
}

/** The password may stand apart: then the address is no secret, and the password can be a file that others use too. */
function databaseUrlOf(settings: Settings): string | undefined {
  const url = settings.parsed('DATABASE_URL', parseDatabaseUrl, undefined);
  const password = settings.parsed('DATABASE_PASSWORD', parseText, undefined);
  if (password === undefined) return url;
  if (url === undefined) {
    settings.problem('DATABASE_PASSWORD is set, but DATABASE_URL is not; set both, or neither');
    return undefined;
  }
  const whole = new URL(url);
  if (whole.password !== '')
    settings.problem('DATABASE_URL holds a password, and DATABASE_PASSWORD too; keep one');
  whole.password = encodeURIComponent(password);
  return whole.href;
}

function shopsOf(settings: Settings, source: SettingsSource): readonly ShopConfig[] {
  const path = settings.parsed('SHOPS_FILE', parseText, undefined);
  if (path === undefined) {
    refuseMistyped(settings, source, SETTING_NAMES);
    return [shopOfEnvironment(settings)];
  }
  const others = OWN_NAMES.filter((name) => settings.isSet(name));
  if (others.length > 0) {
    settings.problem(
      `SHOPS_FILE and ${others.join(', ')} are both set; unset ${others.length === 1 ? 'it' : 'them'}, ` +
        'since each shop of the file has its own, or unset SHOPS_FILE',
    );
  }
  const file = readShopsFile(path, settings, source);
  // The file may name variables of any name, so that without it nothing can be said of them.
  if (file) refuseMistyped(settings, source, SETTING_NAMES, file.usedNames);
  return file?.shops ?? [];
}

function shopOfEnvironment(settings: Settings): ShopConfig {
  const shopKey = settings.parsed(SHOP_FIELDS.key, parseShopKey, 'default');
  return readShop(
    {
      parsed: (field, parse, fallback) => settings.parsed(SHOP_FIELDS[field], parse, fallback),
      required: (field, parse) => settings.required(SHOP_FIELDS[field], MEANINGS[field], parse),
      spell: (field, value) => (value === undefined ? SHOP_FIELDS[field] : `${SHOP_FIELDS[field]}=${value}`),
    },
    shopKey,
  );
}

function refuseMistyped(
  settings: Settings,
  { env }: SettingsSource,
  names: readonly string[],
  used: ReadonlySet<string> = new Set(),
): void {
  for (const problem of mistypedSettings(env, names, used)) settings.problem(problem);
}
