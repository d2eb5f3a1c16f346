/** What an address answers before anybody looks for a login. */
import { loadConfig } from '../../../config/load-config.ts';
import type { ShopConfig } from '../../../config/shop-config.ts';
import { isRefusal, TransientError } from '../../../model/errors.ts';
import { createShopApi } from '../../../shop-api/shop-api.ts';
import { readFile } from '../../open.ts';
import type { CliContext } from '../../output/io.ts';

type Env = CliContext['env'];

/** The shops that settings describe. @throws ConfigError */
export function shopsOf(env: Env): readonly ShopConfig[] {
  return loadConfig({ env, readFile }, { shop: true }).shops;
}

/** An address as people write it, such as `shop.example`, in full. */
export function withScheme(address: string): string {
  const given = address.trim();
  return given === '' || given.includes('://') ? given : `https://${given}`;
}

/** What identifies a shop, and lets in. */
const OWN = /^(SHOPS_FILE|SHOP_(KEY|URL|LOGIN|API_KEY|TIMEZONE))(_FILE)?$/;

export const otherSettings = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.test(name)));

/** Nobody's: what the API answers to it shows whether it is there. */
const NOBODY = { login: 'order-sync', apiKey: 'none' };

/** A shop of which nothing but the address is known, read as the other settings say. @throws ConfigError */
export function shopAt(url: string, env: Env): ShopConfig {
  const login = { SHOP_LOGIN: NOBODY.login, SHOP_API_KEY: NOBODY.apiKey };
  const [shop] = shopsOf({ ...otherSettings(env), SHOP_URL: url, ...login, SHOP_TIMEZONE: 'UTC' });
  if (shop === undefined) throw new Error('no shop is configured');
  return shop;
}

/**
 * Whether the API is at an address. One request, that is not repeated.
 *
 * @returns how it answered: `refuses` a login that it does not know, as the API does; `accepts` any; or `unclear`, which a
 * login may change
 * @throws TerminalError, TransientError when nothing answers there, or something else
 */
export async function tryAddress(
  shop: ShopConfig,
  signal: AbortSignal,
): Promise<'accepts' | 'refuses' | 'unclear'> {
  try {
    const api = createShopApi({ ...shop, ...NOBODY });
    const { emptyForm } = await api.listOrders({ limit: 1 }, signal, { maxAttempts: 1 });
    return emptyForm === undefined ? 'accepts' : 'unclear';
  } catch (error) {
    if (isRefusal(error)) return 'refuses';
    if (error instanceof TransientError && error.mayPass) return 'unclear';
    throw error;
  }
}
