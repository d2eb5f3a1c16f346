import type { Config } from '../config/load-config.ts';
import type { ShopConfig } from '../config/shop-config.ts';
import { createShopApi, type ShopApiOptions } from '../shop-api/shop-api.ts';
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

/** For a command that somebody waits for, and that has read nothing which a later attempt would have to read again. */
export const SHORT_OUTAGE = { maxOutageMs: 10_000 } as const;
export const openBriefly = (shop: ShopConfig) => createShopApi({ ...shop, ...SHORT_OUTAGE });

type ShopOptions = Pick<ShopApiOptions, 'maxOutageMs'> & {
  /** Runs with the database still open, also after a failure. */
  readonly afterwards?: (database: Pick<Database, 'db'>) => Promise<void>;
};

/** Runs the work for each configured shop in turn. @returns the worst exit code */
export async function forEachShop(
  context: CliContext,
  config: Config,
  work: (opened: OpenShop) => Promise<Ended>,
  { afterwards, ...limits }: ShopOptions = {},
): Promise<ExitCode> {
  const { runsKeptMs, rawKeptMs, shops } = config;
  await using warehouse = await openWarehouse(context, config);
  const common = commonContext(context, config, warehouse.db);
  try {
    return await inTurn(context, shops, async (shop) => {
      const onRedirect = (host: string) =>
        common.logger.debug({ shop: shop.shopKey, host }, 'redirect not followed');
      const run = {
        ...common,
        api: createShopApi({ ...shop, ...limits, onRedirect }),
        shop,
        runsKeptMs,
        rawKeptMs,
      };
      return work({ run, shop, isOneOfMany: shops.length > 1 });
    });
  } finally {
    await afterwards?.(warehouse);
  }
}
