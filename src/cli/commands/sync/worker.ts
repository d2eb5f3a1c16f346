import { ConfigError } from '../../../model/errors.ts';
import { ShopRegistry } from '../../../worker/shop-registry.ts';
import { OWN_CONNECTIONS, runWorker } from '../../../worker/run-worker.ts';
import { checkReadiness } from '../../../warehouse/db/migrations.ts';
import { type CliContext, EXIT, type ExitCode } from '../../output/io.ts';
import { describeForLog, describeStack, reportError } from '../../output/describe-error.ts';
import type { Logger } from '../../../sync/run/context.ts';
import { openWebhook } from '../../alert-webhook.ts';
import { createLogger, logFatal } from '../../log.ts';
import { openWarehouse } from '../../open.ts';
import { readShopsConfig } from '../../shops.ts';

/**
 * `worker`: runs until stopped; sweeps the configured shops when they are due, and serves health and metrics. What ends
 * it is a line of its log, unless somebody watches it on a terminal.
 */
export async function workerCommand(context: CliContext): Promise<ExitCode> {
  try {
    return await work(context);
  } catch (error) {
    if (context.io.isTerminal && !context.signal.aborted) return reportError(context, error);
    const { text, code } = describeForLog(error, context.signal.aborted);
    logFatal(context, context.flags.debug ? { stack: describeStack(error) } : {}, text);
    return code;
  }
}

async function work(context: CliContext): Promise<ExitCode> {
  const config = readShopsConfig(context);
  if (config.databaseUrl === undefined && config.isProduction) {
    throw new ConfigError([
      'DATABASE_URL is not set: a worker in production needs a PostgreSQL server, since the embedded database is lost with its folder',
    ]);
  }
  const logger = createLogger(context, config);
  await using warehouse = await openWarehouse(context, config, config.databaseConnections - OWN_CONNECTIONS);
  const { db } = warehouse;
  const registry = new ShopRegistry(logger);
  registry.configure(config.shops);
  using _reload = context.onHangup(() => reload(context, registry, logger));
  const worker = {
    ...config,
    db,
    databaseUrl: warehouse.currentUrl,
    registry,
    webhook: openWebhook(config),
    logger,
    now: () => Temporal.Now.instant(),
    cron: config.syncCron,
    slots: config.syncConcurrency,
    budgetMs: config.syncBudgetMs,
    unreadiness: checkReadiness,
    stopping: context.signal,
  };
  await runWorker(worker, (port) => logger.info({ port, shops: config.shops.length }, 'worker started'));
  return EXIT.done;
}

/** Reloads the configured shops; an invalid file changes nothing. */
function reload(context: CliContext, registry: ShopRegistry, logger: Logger): void {
  try {
    registry.configure(readShopsConfig(context).shops);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    logger.warn({ problems: error.problems }, 'settings not reloaded');
  }
}
