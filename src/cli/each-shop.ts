import type { Config } from '../config/load-config.ts';
import type { ShopConfig } from '../config/shop-config.ts';
import { UsageError, withSettingNames } from '../model/errors.ts';
import { createShopApi } from '../shop-api/shop-api.ts';
import type { ShopContext } from '../sync/run/context.ts';
import type { Database, Db } from '../warehouse/db/database.ts';
import { openWarehouse } from './open.ts';
import { reportError } from './output/describe-error.ts';
import { type CliContext, EXIT, type ExitCode, worse } from './output/io.ts';
import { commonContext } from './shops.ts';

/** One of the configured shops, with everything that a run needs. */
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
      const opened = { run: shopContext(context, config, shop, warehouse.db), shop, isOneOfMany };
      worst = worse(worst, await runOrReport(context, opened, work));
    }
  } finally {
    await afterwards(warehouse);
  }
  return worst;
}

function shopContext(context: CliContext, config: Config, shop: ShopConfig, db: Db): ShopContext {
  const { runsKeptMs, rawKeptMs } = config;
  const common = commonContext(context, config, db);
  const onRedirect = (host: string) =>
    common.logger.debug({ shop: shop.shopKey, host }, 'redirect not followed');
  return { ...common, api: createShopApi({ ...shop, onRedirect }), shop, runsKeptMs, rawKeptMs };
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
