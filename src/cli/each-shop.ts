import pLimit from 'p-limit';

import type { Config } from '../config/load-config.ts';
import { UsageError, withSettingNames } from '../errors.ts';
import type { ShopConfig } from '../config/shop-settings.ts';
import { createShopApi } from '../shop-api/shop-api.ts';
import type { EarlyCount, ShopContext } from '../sync/run/context.ts';
import { VERSION } from '../version.ts';
import type { Database } from '../warehouse/db/database.ts';
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

/** A shop whose database is not ready. */
export type UnopenedShop = Omit<ShopContext, 'db'>;

type AroundShops = {
  /** Called for the first shop while the tables of an empty database are created. */
  readonly beforehand?: ((run: UnopenedShop) => EarlyCount) | undefined;
  /** Runs with the database still open, also after a failure. */
  readonly afterwards?: (database: Pick<Database, 'db'>) => Promise<void>;
  readonly atOnce?: number;
};

/**
 * Runs the work for each configured shop. One that fails does not stop the others: its error is printed at once, with `--json`
 * also as a document of the shop.
 *
 * @param work gets the context to print by: what is done side by side is printed shop by shop
 * @returns the worst exit code
 */
export async function forEachShop(
  context: CliContext,
  config: Config,
  work: (opened: OpenShop, own: CliContext) => Promise<ExitCode>,
  { beforehand, afterwards = async () => undefined, atOnce = 1 }: AroundShops = {},
): Promise<ExitCode> {
  const prepared = config.shops.map((shop) => ({ shop, run: createContext(context, config, shop) }));
  using early = abortedAtEnd(context.signal);
  await using warehouse = await openWarehouse(context, config, undefined, () => {
    const [first] = prepared;
    if (first) first.run = { ...first.run, early: beforehand?.({ ...first.run, signal: early.signal }) };
  });
  const isOneOfMany = config.shops.length > 1;
  let worst: ExitCode = EXIT.done;
  const runOne = async ({ shop, run }: (typeof prepared)[number]) => {
    context.signal.throwIfAborted();
    using own = atOnce > 1 ? printTogether(context) : { context, [Symbol.dispose]: () => undefined };
    const opened = { run: { ...run, db: warehouse.db }, shop, isOneOfMany };
    const code = await runOrReport(own.context, opened, work);
    // Meanwhile others may have ended.
    worst = worse(worst, code);
  };
  try {
    await sideBySide(prepared, atOnce, runOne);
  } finally {
    await afterwards(warehouse);
  }
  return worst;
}

function createContext(context: CliContext, config: Config, shop: ShopConfig): UnopenedShop {
  const { runsKeptMs, rawKeptMs } = config;
  const logger = createLogger(context, config);
  const api = createShopApi({
    ...shop,
    onRedirect: (host) => logger.debug({ shop: shop.shopKey, host }, 'redirect not followed'),
  });
  const { signal } = context;
  const now = () => Temporal.Now.instant();
  return { api, shop, logger, runsKeptMs, rawKeptMs, now, signal, version: VERSION };
}

/** @throws the first error, after which nothing new is begun, once all that was begun has ended */
export async function sideBySide<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const limit = pLimit({ concurrency: atOnce, rejectOnClear: true });
  const orEndAll = async (item: Item) =>
    work(item).catch((error: unknown) => {
      limit.clearQueue();
      throw error;
    });
  const ended = await Promise.allSettled(items.map((item) => limit(orEndAll, item)));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** A signal that is aborted with the given one, and when it is disposed. */
function abortedAtEnd(signal: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const ended = new AbortController();
  return { signal: AbortSignal.any([signal, ended.signal]), [Symbol.dispose]: () => ended.abort() };
}

/** Holds back what is printed, in its order, until it is disposed. */
function printTogether(context: CliContext): Disposable & { readonly context: CliContext } {
  const { io } = context;
  const held: (() => void)[] = [];
  const out = (text: string) => void held.push(() => io.out(text));
  const err = (text: string) => void held.push(() => io.err(text));
  const print = () => held.forEach((write) => write());
  return { context: { ...context, io: { ...io, out, err } }, [Symbol.dispose]: print };
}

async function runOrReport(
  context: CliContext,
  opened: OpenShop,
  work: (opened: OpenShop, own: CliContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work(opened, context);
  } catch (error) {
    // An interrupt stops all; a wrong command line is wrong for every shop.
    if (context.signal.aborted || error instanceof UsageError) throw error;
    withSettingNames(error, opened.shop.settingNames);
    return reportError(context, error, { shopKey: opened.shop.shopKey, isOneOfMany: opened.isOneOfMany });
  }
}
