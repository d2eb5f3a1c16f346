import { mistypedSettings } from './mistyped-settings.ts';
import { readProxySettings } from './proxy-settings.ts';
import { Environment, type SettingsSource, type SettingTable, withDefaults } from './read-settings.ts';
import * as types from './setting-types.ts';
import {
  COMMON_SETTINGS,
  OWN_SETTINGS,
  SETTING_NAMES,
  SHARED_SETTINGS,
  SHOP_SETTINGS,
  SHOPS_FILE,
} from './settings.ts';
import { isUnencrypted, type ShopConfig, toShopConfig } from './shop-settings.ts';
import { readShopsFile } from './shops-file.ts';

/** How long runs and settled rejections are kept. */
const RUNS_KEPT_MS = 90 * 86_400_000;

/** Only validated: they have no effect here, or none without a shop. */
const CHECKED_SETTINGS = {
  tlsSwitch: { env: 'NODE_TLS_REJECT_UNAUTHORIZED', type: types.tlsSwitch, meaning: 'of Node.js' },
  freshness: SHARED_SETTINGS.freshness,
};

/**
 * Reads the settings that a command needs. Nothing is cached: every call reads the files again.
 *
 * @throws ConfigError with every problem found; none repeats a secret
 */
export function loadConfig(source: SettingsSource, needs: { readonly shop: boolean }): Config {
  const environment = new Environment(source);
  const shops = needs.shop ? readShops(environment) : [];
  const config = readCommon(environment, shops);
  // A shops file may name any variable.
  const names = environment.isSet('SHOPS_FILE')
    ? namesOf({ ...COMMON_SETTINGS, ...CHECKED_SETTINGS })
    : SETTING_NAMES;
  if (!needs.shop) rejectMistyped(environment, names);
  environment.refuseProblems();
  return config;
}

const namesOf = (table: SettingTable) => Object.values(table).map(({ env }) => env);

export type Config = Readonly<ReturnType<typeof readCommon>>;

/** @param shops in the configured order; empty if the command needs no shop */
function readCommon(environment: Environment, shops: readonly ShopConfig[]) {
  const { databasePassword, ...values } = withDefaults(COMMON_SETTINGS, environment.read(COMMON_SETTINGS));
  environment.read(CHECKED_SETTINGS);
  const proxy = readProxySettings(environment.env, (problem) => environment.problem(problem));
  return {
    ...values,
    runsKeptMs: RUNS_KEPT_MS,
    /** Shops that one worker sweeps in parallel: more where there are many, so that first loads do not wait for each other. */
    syncConcurrency: Math.min(40, Math.max(4, Math.ceil(shops.length / 5))),
    databaseUrl: withPassword(environment, values.databaseUrl, databasePassword),
    shops: shops.map((shop): ShopConfig => ({ ...shop, proxy })),
    /** Undefined: no proxy. */
    proxy,
    /** A database inside a local folder is not good enough: `NODE_ENV` is `production`, as in the image. */
    isProduction: environment.env['NODE_ENV'] === 'production',
  };
}

/** A separate password keeps the address free of secrets, and can come from a file shared with other programs. */
function withPassword(
  environment: Environment,
  url: string | undefined,
  password: string | undefined,
): string | undefined {
  if (password === undefined) return url;
  if (url === undefined) {
    environment.problem('DATABASE_PASSWORD is set, but DATABASE_URL is not; set both, or neither');
    return undefined;
  }
  const whole = new URL(url);
  if (whole.password !== '')
    environment.problem(
      'DATABASE_URL contains a password, and DATABASE_PASSWORD is set too; keep one of them',
    );
  whole.password = encodeURIComponent(password);
  return whole.href;
}

function readShops(environment: Environment): readonly ShopConfig[] {
  const { path } = environment.read(SHOPS_FILE);
  if (path === undefined) {
    rejectMistyped(environment, SETTING_NAMES);
    return [readShop(environment)];
  }
  const others = namesOf(OWN_SETTINGS).filter((name) => environment.isSet(name));
  if (others.length > 0) {
    environment.problem(
      `SHOPS_FILE and ${others.join(', ')} are both set; unset ${others.length === 1 ? 'it' : 'them'}, ` +
        'since each shop in the file has its own, or unset SHOPS_FILE',
    );
  }
  const file = readShopsFile(path, environment);
  // The file may use variables of any name, so they can be judged only if it could be read.
  if (file) rejectMistyped(environment, SETTING_NAMES, file.usedNames);
  return file?.shops ?? [];
}

function readShop(environment: Environment): ShopConfig {
  const values = { key: 'default', ...environment.read(SHOP_SETTINGS) };
  const { key: _key, ...required } = OWN_SETTINGS;
  for (const { env, meaning } of Object.values(required)) {
    if (!environment.isSet(env)) environment.problem(`${env} is not set: ${meaning}`);
  }
  if (isUnencrypted(values)) {
    environment.problem(
      'SHOP_URL would send the API key unencrypted; use https, or set SHOP_ALLOW_HTTP=true',
    );
  }
  return toShopConfig(values);
}

function rejectMistyped(
  environment: Environment,
  names: readonly string[],
  used: ReadonlySet<string> = new Set(),
): void {
  for (const problem of mistypedSettings(environment.env, names, used)) environment.problem(problem);
}
