import type { ProxySettings } from '../http/connection-pool.ts';
import { Environment, type SettingsSource } from './environment.ts';
import { COMMON_SETTINGS, OWN_SETTINGS, settingOf, SHOP_SETTINGS, SHOPS_FILE } from './settings.ts';
import { SHOP, type ShopConfig, toShopConfig } from './shop-config.ts';
import { readShopsFile } from './shops-file.ts';

/** How long runs and settled rejections are kept. */
const RUNS_KEPT_MS = 90 * 86_400_000;

/**
 * Reads the settings that a command needs. Nothing is cached: every call reads the files again.
 *
 * @param needs without a shop, `shops` is empty
 * @throws ConfigError with every problem found; none repeats a secret
 */
export function loadConfig(source: SettingsSource, needs: { readonly shop: boolean }) {
  const environment = new Environment(source);
  const { env } = environment;
  const read = needs.shop ? readShops(environment) : [];
  const common = environment.read(COMMON_SETTINGS);
  const proxy = readProxy(environment);
  const databaseUrl = withPassword(environment, common?.databaseUrl, common?.databasePassword);
  // Node's own setting.
  if (env['NODE_TLS_REJECT_UNAUTHORIZED']?.trim() === '0') {
    environment.problem(
      'NODE_TLS_REJECT_UNAUTHORIZED must not be 0, which lets anyone impersonate the shop; unset it, and add your own certificate with NODE_EXTRA_CA_CERTS',
    );
  }
  // A shops file may name variables that are like settings.
  if (!environment.isSet('SHOPS_FILE')) environment.rejectMistyped();
  const shops = environment.settle(read).map((shop): ShopConfig => ({ ...shop, proxy }));
  const { databasePassword: _ofUrl, ...values } = environment.settle(common);
  return {
    ...values,
    databaseUrl,
    runsKeptMs: RUNS_KEPT_MS,
    /** Shops that one worker sweeps in parallel: more where there are many, so that first loads do not wait for each other. */
    syncConcurrency: Math.min(40, Math.max(4, Math.ceil(shops.length / 5))),
    /** In the configured order. */
    shops,
    /** Undefined: no proxy. */
    proxy,
    /** A database inside a local folder is not good enough: `NODE_ENV` is `production`, as in the image. */
    isProduction: env['NODE_ENV'] === 'production',
  };
}

export type Config = Readonly<ReturnType<typeof loadConfig>>;

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
  if (whole.password !== '') {
    environment.problem(
      'DATABASE_URL contains a password, and DATABASE_PASSWORD is set too; keep one of them',
    );
  }
  whole.password = encodeURIComponent(password);
  return whole.href;
}

function readShops(environment: Environment): readonly ShopConfig[] | undefined {
  const path = environment.read({ path: SHOPS_FILE })?.path;
  if (path === undefined) {
    const raw = { key: { place: 'SHOP_KEY', value: 'default' }, ...environment.readRaw(SHOP_SETTINGS) };
    const shop = environment.parse(SHOP, raw);
    return shop && [toShopConfig(shop)];
  }
  const names = Object.values(OWN_SETTINGS).map((type) => settingOf(type).env);
  const others = names.filter((name) => environment.isSet(name));
  if (others.length > 0) {
    const [are, named] = [others.length === 1 ? 'is' : 'are', others.join(', ')];
    environment.problem(
      `SHOPS_FILE is set, and so ${are} ${named}: unset ${named}, since each shop of the file has its own, or unset SHOPS_FILE`,
    );
  }
  return readShopsFile(path, environment);
}

/** This machine is never reached through a proxy. */
const LOOPBACK = 'localhost,127.0.0.1,::1';

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, or the same in lower case, as curl does.
 *
 * @returns undefined where no proxy is set, or NODE_USE_ENV_PROXY is 0
 */
function readProxy(environment: Environment): ProxySettings | undefined {
  const { env } = environment;
  if (env['NODE_USE_ENV_PROXY'] === '0') return undefined;
  const read = (name: string) => (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  const readAddress = (name: string) => {
    const text = read(name);
    if (text === '') return '';
    const url = URL.parse(text.includes('://') ? text : `http://${text}`);
    if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') return url.href;
    // The value may hold a password.
    environment.problem(`${name} must be the address of an HTTP proxy: http://proxy.example:3128`);
    return '';
  };
  const [httpProxy, httpsProxy] = [readAddress('HTTP_PROXY'), readAddress('HTTPS_PROXY')];
  const noProxy = [read('NO_PROXY'), LOOPBACK].filter((hosts) => hosts !== '').join(',');
  return httpProxy + httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy };
}
