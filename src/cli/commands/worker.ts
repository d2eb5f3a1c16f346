import { ConfigError } from '../../errors.ts';
import { readShopReports, reportJson } from '../../sync/report/shop-report.ts';
import { Fleet } from '../../worker/shop-registry.ts';
import { runWorker } from '../../worker/run-worker.ts';
import { unreadiness } from '../../warehouse/db/readiness.ts';
import type { CliContext, ExitCode } from '../output/io.ts';
import { EXIT } from '../output/io.ts';
import { loggerOf, openWarehouse, shopsConfigOf } from '../open.ts';

/** Database connections for each shop that is swept at once, and for the ops server. */
const CONNECTIONS_PER_SLOT = 3;

/** `worker`: runs until stopped; sweeps the configured shops when they are due, and serves health and metrics. */
export async function workerCommand(context: CliContext): Promise<ExitCode> {
  const config = shopsConfigOf(context);
  if (config.databaseUrl === undefined && config.isProduction) {
    throw new ConfigError([
      'DATABASE_URL is not set: a worker in production needs a PostgreSQL of its own, since the embedded one lives and dies with its folder',
    ]);
  }
  const logger = loggerOf({ ...context, io: { ...context.io, isTerminal: false } }, config);
  await using warehouse = await openWarehouse(
    context,
    config,
    config.syncConcurrency * CONNECTIONS_PER_SLOT + 4,
  );
  const { db } = warehouse;
  const fleet = new Fleet(logger);
  fleet.configure(config.shops);
  using _reload = context.onHangup(() => reload(context, fleet, logger));
  const sources = {
    unreadiness: () => unreadiness(db),
    status: async () => {
      const policyOf = (shopKey: string) => fleet.find(shopKey)?.shop.freshness ?? config.freshness;
      return (await readShopReports(db, policyOf, Temporal.Now.instant())).map(reportJson);
    },
  };
  const worker = {
    ...config,
    db,
    databaseUrl: warehouse.url,
    fleet,
    logger,
    now: () => Temporal.Now.instant(),
    cron: config.syncCron,
    slots: config.syncConcurrency,
    budgetMs: config.syncBudgetMs,
    sources,
    stopping: context.signal,
  };
  await runWorker(worker, (port) => logger.info({ port, shops: config.shops.length }, 'worker started'));
  return EXIT.done;
}

/** Takes over the shops as they are configured now; a file that is wrong changes nothing. */
function reload(context: CliContext, fleet: Fleet, logger: ReturnType<typeof loggerOf>): void {
  try {
    fleet.configure(shopsConfigOf(context).shops);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    logger.warn({ problems: error.problems }, 'settings not reloaded');
  }
}
