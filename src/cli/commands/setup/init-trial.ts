/** The requests of `init`: whether the shop accepts the settings, and what a first load would take. */
import { grouped } from '../../../amount-text.ts';
import { loadConfig } from '../../../config/load-config.ts';
import type { ShopConfig } from '../../../config/shop-settings.ts';
import { clockSkewText } from '../../../plan/clock/clock-skew.ts';
import { guessZone, type ZoneGuess } from '../../../plan/clock/guess-zone.ts';
import { unknownProfile } from '../../../shop-api/paging/page-profile.ts';
import { createShopApi } from '../../../shop-api/shop-api.ts';
import { estimateRest, learnApi, newestListed } from '../../../sync/report/learn-api.ts';
import { listedClockSkew } from '../../../sync/sweep/clock-warning.ts';
import { describeLoad } from '../../output/describe-load.ts';
import { readFile } from '../../open.ts';

/** What speaks against a shop's time zone. */
export type ZoneDoubt = {
  /** A sentence, without its full stop. */
  readonly warning: string;
  /** Another zone fits, so that it is no clock that is wrong. */
  readonly isZoneWrong: boolean;
};

type Env = Readonly<Record<string, string | undefined>>;

/** The shops that settings describe. @throws ConfigError */
export function shopsOf(env: Env): readonly ShopConfig[] {
  return loadConfig({ env, readFile }, { shop: true }).shops;
}

/** @throws TerminalError, TransientError when the shop does not let us in */
export async function guessZoneOf(shop: ShopConfig, signal: AbortSignal): Promise<ZoneGuess> {
  const now = Temporal.Now.instant();
  const newest = await newestListed(createShopApi(shop), shop.pageLimit, now, signal);
  const { hostname } = new URL(shop.baseUrl);
  return guessZone(newest, now, hostname, Temporal.Now.timeZoneId());
}

/** @throws TerminalError, TransientError when the shop does not let us in */
export async function findZoneDoubt(shop: ShopConfig, signal: AbortSignal): Promise<ZoneDoubt | undefined> {
  const skew = await listedClockSkew(createShopApi(shop), shop, Temporal.Now.instant(), signal);
  return skew && { warning: clockSkewText(skew, shop.timezone), isZoneWrong: skew.fittingZone !== undefined };
}

/**
 * What the shop holds, and what a first load takes, in a sentence.
 *
 * @throws TerminalError, TransientError when the shop does not let us in
 */
export async function describeShop(shop: ShopConfig, signal: AbortSignal): Promise<string> {
  const api = createShopApi(shop);
  const today = Temporal.Now.zonedDateTimeISO(shop.timezone).toPlainDate();
  const findings = await learnApi(api, shop, unknownProfile(shop.pageLimit), today, signal);
  const since = `its first order is of ${findings.historyFrom.toString()}`;
  const estimate = estimateRest(findings, shop, 0);
  if (estimate === undefined)
    return `The shop accepts the login and does not say how many orders it has; ${since}.`;
  return (
    `The shop accepts the login. It has ${grouped(estimate.orders)} orders; ${since}. ` +
    `A first load takes ${describeLoad(estimate)}, at up to ${shop.maxRps} requests a second.`
  );
}
