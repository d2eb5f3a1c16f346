import type { Config } from '../config/load-config.ts';
import type { ShopConfig } from '../config/shop-config.ts';
import { createShopApi } from '../shop-api/shop-api.ts';
import type { ShopContext } from '../sync/run/context.ts';
import type { Database } from '../warehouse/db/database.ts';
import { openWarehouse } from './open.ts';
import type { CliContext, Ended, ExitCode } from './output/io.ts';
import { commonContext, inTurn } from './shops.ts';

/** One of the configured shops, with everything that a run needs. */
export type OpenShop = {
  readonly run: ShopContext;
  readonly shop: ShopConfig;
  /** Then output must name the shop. */
  readonly isOneOfMany: boolean;
};

/**
 * Runs the work for each configured shop in turn.
 *
 * @param afterwards runs with the database still open, also after a failure
 * @returns the worst exit code
 */
export async function forEachShop(
  context: CliContext,
  config: Config,
  work: (opened: OpenShop) => Promise<Ended>,
  afterwards: (database: Pick<Database, 'db'>) => Promise<void> = async () => undefined,
): Promise<ExitCode> {
  const { runsKeptMs, rawKeptMs, shops } = config;
  await using warehouse = await openWarehouse(context, config);
  const common = commonContext(context, config, warehouse.db);
  try {
    return await inTurn(context, shops, async (shop) => {
      const onRedirect = (host: string) =>
        common.logger.debug({ shop: shop.shopKey, host }, 'redirect not followed');
      const run = { ...common, api: createShopApi({ ...shop, onRedirect }), shop, runsKeptMs, rawKeptMs };
      return work({ run, shop, isOneOfMany: shops.length > 1 });
    });
  } finally {
    await afterwards(warehouse);
  }
}
