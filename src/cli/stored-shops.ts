import { nextStep } from '../model/next-step.ts';
import type { Config } from '../config/load-config.ts';
import { Environment } from '../config/environment.ts';
import { OWN_SETTINGS, PRIVACY_SETTINGS } from '../config/settings.ts';
import { type ShopConfig, toPrivacy } from '../config/shop-config.ts';
import type { Db } from '../warehouse/db/database.ts';
import { listShops, type StoredShop } from '../warehouse/directory/registered-shops.ts';
import { VERSION } from '../model/program.ts';
import { chooseShop, chooseShops } from './choose-shops.ts';
import type { CliContext } from './output/io.ts';
import { createLogger, openWarehouse, readConfig, readFile, readShopsConfig } from './open.ts';

export const NO_SHOP_YET = `The warehouse has no shop yet; \`${nextStep('load shop')}\` loads it.\n`;

/** The shops of the warehouse, configured or not, or that of `--shop`. @throws UsageError when there is no such shop */
export async function findStoredShops(db: Db, wanted: string | undefined): Promise<readonly StoredShop[]> {
  return chooseShops(await listShops(db), 'the warehouse has', wanted);
}

/** The shop of `--shop`, or the only one of the warehouse. @throws UsageError where there is not just one */
export async function findStoredShop(db: Db, wanted: string | undefined): Promise<StoredShop> {
  return chooseShop(await listShops(db), 'the warehouse has', wanted);
}

/**
 * Prints something of every shop of the warehouse, or of the one of `--shop`. Uses the database only.
 *
 * @param describe gives its text, which ends with a line break
 */
export async function printStoredShops(
  context: CliContext,
  wanted: string | undefined,
  describe: (db: Db, shop: StoredShop) => Promise<string>,
): Promise<void> {
  await using warehouse = await openWarehouse(context, readConfig(context));
  const { db } = warehouse;
  const shops = await findStoredShops(db, wanted);
  if (shops.length === 0) context.io.out(NO_SHOP_YET);
  for (const [index, shop] of shops.entries()) {
    context.io.out(`${index > 0 ? '\n' : ''}${await describe(db, shop)}`);
  }
}

/** What work on a stored shop needs that sends no request. @throws ConfigError */
export function storedRun(
  context: CliContext,
  config: Pick<Config, 'logLevel'>,
  db: Db,
  { shopKey, timezone }: StoredShop,
) {
  return {
    db,
    shop: { shopKey, timezone, ...readPrivacySettings(context, shopKey) },
    logger: createLogger(context, config),
    now: () => Temporal.Now.instant(),
    signal: context.signal,
    version: VERSION,
  };
}

/** The keys of the configured shops. Requires no other setting of a shop, unless there is a shops file. @throws ConfigError */
export function readConfiguredKeys(context: CliContext): readonly string[] {
  const environment = new Environment({ env: context.env, readFile });
  if (environment.isSet('SHOPS_FILE')) return readShopsConfig(context).shops.map(({ shopKey }) => shopKey);
  if (!environment.isSet('SHOP_URL')) return [];
  if (!environment.isSet('SHOP_KEY')) return ['default'];
  return [environment.settle(environment.read({ key: OWN_SETTINGS.key })).key];
}

/** A shop's settings of personal data. Requires no other setting of the shop, unless there is a shops file. */
function readPrivacySettings(
  context: CliContext,
  shopKey: string,
): Pick<ShopConfig, 'guestSecret' | 'pseudonymize'> {
  const environment = new Environment({ env: context.env, readFile });
  const shops = environment.isSet('SHOPS_FILE') ? readShopsConfig(context).shops : [];
  const configured = shops.find((shop) => shop.shopKey === shopKey);
  if (configured) return { guestSecret: configured.guestSecret, pseudonymize: configured.pseudonymize };
  return toPrivacy(environment.settle(environment.read(PRIVACY_SETTINGS)));
}

/** The zone of all shops, if they share one. */
export function commonZone(shops: readonly { readonly timezone: string }[]): string {
  const [zone, ...others] = new Set(shops.map(({ timezone }) => timezone));
  return zone !== undefined && others.length === 0 ? zone : 'UTC';
}
