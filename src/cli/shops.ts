/** The shops that a command is about: those of the settings, or those of the warehouse. */
import { Environment } from '../config/environment.ts';
import { type Config, loadConfig } from '../config/load-config.ts';
import { PRIVACY_SETTINGS } from '../config/settings.ts';
import { type ShopConfig, toPrivacy } from '../config/shop-config.ts';
import { UsageError } from '../model/errors.ts';
import { nextStep } from '../model/next-step.ts';
import { VERSION } from '../model/program.ts';
import type { RunContext } from '../sync/run/context.ts';
import type { Db } from '../warehouse/db/database.ts';
import { listShops, type StoredShop } from '../warehouse/directory/registered-shops.ts';
import { createLogger } from './log.ts';
import { isAnyShopSet, openWarehouse, readConfig, readFile } from './open.ts';
import { reportError } from './output/describe-error.ts';
import { type CliContext, type Ended, EXIT, type ExitCode, worse } from './output/io.ts';
import { print } from './output/layout.ts';

type Named = { readonly shopKey: string };
/** Where the shops are that one chooses from. */
type Place = 'the settings have' | 'the warehouse has';

/** All shops, or the one of `--shop`. @throws UsageError when there is no such shop */
function chooseShops<Shop extends Named>(
  shops: readonly Shop[],
  place: Place,
  wanted: string | undefined,
): readonly Shop[] {
  const chosen = shops.filter(({ shopKey }) => wanted === undefined || shopKey === wanted);
  if (wanted === undefined || chosen.length > 0) return chosen;
  throw new UsageError(`there is no shop ${wanted}: ${place} ${keysOf(shops)}`);
}

function onlyShop<Shop extends Named>(shops: readonly Shop[], place: Place): Shop {
  const [shop, ...others] = shops;
  if (shop !== undefined && others.length === 0) return shop;
  throw new UsageError(`--shop KEY is needed to choose one; ${place} ${keysOf(shops)}`);
}

const keysOf = (shops: readonly Named[]) => shops.map(({ shopKey }) => shopKey).join(', ') || 'none yet';

/**
 * Runs the work for each shop in turn. One that fails does not stop the others: its error is printed at once, with `--json` also as a
 * document of the shop.
 *
 * @returns the worst exit code
 */
export async function inTurn<Shop extends Named>(
  context: CliContext,
  shops: readonly Shop[],
  work: (shop: Shop) => Promise<Ended>,
): Promise<ExitCode> {
  let worst: ExitCode = EXIT.done;
  for (const shop of shops) {
    context.signal.throwIfAborted();
    try {
      worst = worse(worst, (await work(shop)) ?? EXIT.done);
    } catch (error) {
      // An interrupt stops all; a wrong command line is wrong for every shop.
      if (context.signal.aborted || error instanceof UsageError) throw error;
      const { shopKey } = shop;
      worst = worse(worst, reportError(context, error, { shopKey, isOneOfMany: shops.length > 1 }));
    }
  }
  return worst;
}

/** The settings, for a command that reads shops: all of them, or that of `--shop`. @throws ConfigError, UsageError */
export function readShopsConfig(context: CliContext, wanted?: string): Config {
  const config = loadConfig({ env: context.env, readFile }, { shop: true });
  return { ...config, shops: [...chooseShops(config.shops, 'the settings have', wanted)] };
}

/** For a command that takes a single shop. @throws ConfigError; UsageError when `--shop` is needed */
export function readOneShop(context: CliContext, wanted: string | undefined): ShopConfig {
  return onlyShop(readShopsConfig(context, wanted).shops, 'the settings have');
}

/** The shops that the settings name: none where there is no word of any. @throws ConfigError */
export function readConfiguredShops(context: CliContext): readonly ShopConfig[] {
  return isAnyShopSet(context) ? readShopsConfig(context).shops : [];
}

/** What any run works with. */
export function commonContext(context: CliContext, config: Pick<Config, 'logLevel'>, db: Db) {
  const now = () => Temporal.Now.instant();
  return { db, logger: createLogger(context, config), now, signal: context.signal, version: VERSION };
}

export const NO_SHOP_YET = `The warehouse has no shop yet; \`${nextStep('load shop')}\` loads it.`;

/** What commands work with that use the database only. */
export type Stored = {
  readonly db: Db;
  /** All of the warehouse, configured or not, or that of `--shop`. */
  readonly shops: readonly StoredShop[];
  /** What work on one of them needs. */
  readonly runOf: (shop: StoredShop) => RunContext;
};

/** @throws UsageError when there is no such shop */
export async function withStoredShops<Result>(
  context: CliContext,
  wanted: string | undefined,
  work: (stored: Stored) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(context);
  await using warehouse = await openWarehouse(context, config);
  const { db } = warehouse;
  const shops = chooseShops(await listShops(db), 'the warehouse has', wanted);
  const runOf = ({ shopKey, timezone }: StoredShop): RunContext => ({
    ...commonContext(context, config, db),
    shop: { shopKey, timezone, ...readPrivacy(context, shopKey) },
  });
  return await work({ db, shops, runOf });
}

/** The shop of `--shop`, or the only one of the warehouse. @throws UsageError where there is not just one */
export async function withStoredShop<Result>(
  context: CliContext,
  wanted: string | undefined,
  work: (shop: StoredShop, stored: Stored) => Promise<Result>,
): Promise<Result> {
  return withStoredShops(context, wanted, (stored) =>
    work(onlyShop(stored.shops, 'the warehouse has'), stored),
  );
}

/** Each shop of the warehouse, or the one of `--shop`; says so if there is none. @returns the worst exit code */
export async function forEachStored(
  context: CliContext,
  wanted: string | undefined,
  work: (shop: StoredShop, stored: Stored) => Promise<Ended>,
): Promise<ExitCode> {
  return withStoredShops(context, wanted, async (stored) => {
    if (stored.shops.length === 0) print(context, [NO_SHOP_YET]);
    return inTurn(context, stored.shops, (shop) => work(shop, stored));
  });
}

/** A shop's settings of personal data, of which those of all count where it is not configured. */
function readPrivacy(context: CliContext, shopKey: string): Pick<ShopConfig, 'guestSecret' | 'pseudonymize'> {
  const configured = readConfiguredShops(context).find((shop) => shop.shopKey === shopKey);
  if (configured) return { guestSecret: configured.guestSecret, pseudonymize: configured.pseudonymize };
  const environment = new Environment({ env: context.env, readFile });
  return toPrivacy(environment.settle(environment.read(PRIVACY_SETTINGS)));
}

/** The zone of all shops, if they share one. */
export function commonZone(shops: readonly { readonly timezone: string }[]): string {
  const [zone, ...others] = new Set(shops.map(({ timezone }) => timezone));
  return zone !== undefined && others.length === 0 ? zone : 'UTC';
}
