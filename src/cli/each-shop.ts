import type { Config } from '../config/load-config.ts';
import { UsageError, withSettingNames } from '../model/errors.ts';
import type { ShopConfig } from '../config/shop-config.ts';
import { createShopApi } from '../shop-api/shop-api.ts';
import type { ShopContext } from '../sync/run/context.ts';
import { VERSION } from '../model/program.ts';
import type { Database, Db } from '../warehouse/db/database.ts';
import { type CliContext, EXIT, type ExitCode, worse } from './output/io.ts';
import { createLogger, openWarehouse } from './open.ts';
import { reportError } from './output/describe-error.ts';

/** One of the selected shops, with everything that a run needs. */
export type OpenShop = {
  readonly run: ShopContext;
  readonly shop: ShopConfig;
  /** Then output must name the shop. */
  readonly isOneOfMany: boolean;
};

/**
 * Runs the work for each configured shop in turn. One that fails does not stop the others: its error is printed at once, with
 * `--json` also as a document of the shop.
 *
 * @param afterwards runs with the database still open, also after a failure
 * @returns the worst exit code
 */
export async function forEachShop(
  context: CliContext,
  config: Config,
  work: (opened: OpenShop) => Promise<ExitCode>,
  afterwards: (database: Pick<Database, 'db'>) => Promise<void> = async () => undefined,
): Promise<ExitCode> {
  await using warehouse = await openWarehouse(context, config);
  const isOneOfMany = config.shops.length > 1;
  let worst: ExitCode = EXIT.done;
  try {
    for (const shop of config.shops) {
      context.signal.throwIfAborted();
      const run = createContext(context, config, shop, warehouse.db);
      worst = worse(worst, await runOrReport(context, { run, shop, isOneOfMany }, work));
    }
  } finally {
    await afterwards(warehouse);
  }
  return worst;
}

function createContext(context: CliContext, config: Config, shop: ShopConfig, db: Db): ShopContext {
  const { runsKeptMs, rawKeptMs } = config;
  const logger = createLogger(context, config);
  const api = createShopApi({
    ...shop,
    onRedirect: (host) => logger.debug({ shop: shop.shopKey, host }, 'redirect not followed'),
  });
  const { signal } = context;
  const now = () => Temporal.Now.instant();
  return { api, db, shop, logger, runsKeptMs, rawKeptMs, now, signal, version: VERSION };
}

async function runOrReport(
  context: CliContext,
  opened: OpenShop,
  work: (opened: OpenShop) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work(opened);
  } catch (error) {
    // An interrupt stops all; a wrong command line is wrong for every shop.
    if (context.signal.aborted || error instanceof UsageError) throw error;
    withSettingNames(error, opened.shop.settingNames);
    return reportError(context, error, { shopKey: opened.shop.shopKey, isOneOfMany: opened.isOneOfMany });
  }
}
