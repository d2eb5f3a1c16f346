/** What a shop answers before anything is set: whether it is there, accepts a login, and what a first load would take. */
import { loadConfig } from '../../../config/load-config.ts';
import type { ShopConfig } from '../../../config/shop-config.ts';
import { grouped } from '../../../model/amount-text.ts';
import { isRefusal, TransientError } from '../../../model/errors.ts';
import { clockSkewText } from '../../../plan/clock/clock-skew.ts';
import { unknownProfile } from '../../../shop-api/paging/request-page.ts';
import { createShopApi } from '../../../shop-api/shop-api.ts';
import { estimateRest, learnApi, newestListed } from '../../../sync/report/learn-api.ts';
import { listedClockSkew } from '../../../sync/sweep/clock-warning.ts';
import { readFile } from '../../open.ts';
import { loadText } from '../../output/describe-sweep.ts';

type Env = Readonly<Record<string, string | undefined>>;

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
 * Whether the API is at an address, which is to be known before anybody looks for a login. One request, that is not
 * repeated.
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

/** When the newest order was placed, in the shop's own time. */
export const readNewest = (shop: ShopConfig, signal: AbortSignal) =>
  newestListed(createShopApi(shop), shop.pageLimit, Temporal.Now.instant(), signal);

/** What speaks against a shop's time zone: a sentence, without its full stop. */
export async function findZoneDoubt(shop: ShopConfig, signal: AbortSignal) {
  const skew = await listedClockSkew(createShopApi(shop), shop, Temporal.Now.instant(), signal);
  // Where another zone fits, it is no clock that is wrong.
  return (
    skew && { warning: clockSkewText(skew, shop.timezone), isZoneWrong: skew.fittingOffset !== undefined }
  );
}

/** What the shop holds, and what a first load takes. @throws where the shop does not let us in */
export async function describeShop(shop: ShopConfig, signal: AbortSignal): Promise<string> {
  const api = createShopApi(shop);
  const today = Temporal.Now.zonedDateTimeISO(shop.timezone).toPlainDate();
  const findings = await learnApi(api, shop, unknownProfile(shop.pageLimit), today, signal);
  const since = `its first order is of ${findings.historyFrom.toString()}`;
  const estimate = estimateRest(findings, api.health, 0);
  if (estimate === undefined)
    return `The shop accepts the login and does not say how many orders it has; ${since}.`;
  return (
    `The shop accepts the login. It has ${grouped(estimate.orders)} orders; ${since}. ` +
    `A first load takes ${loadText(estimate)}, at up to ${shop.maxRps} requests a second.`
  );
}
