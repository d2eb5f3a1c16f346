import { once } from 'node:events';

import { keepSummaries } from '../warehouse/ops/refresh-summaries.ts';
import { type DatabaseUrl, openDatabase, type Tx } from '../warehouse/db/database.ts';
import { readWithin } from '../warehouse/db/read-within.ts';
import { listShops } from '../warehouse/directory/registered-shops.ts';
import { recordCrashes } from '../warehouse/ops/alerts.ts';
import { startAlerts } from './alerts/tell-alerts.ts';
import { startDispatcher } from './dispatcher.ts';
import { startOpsServer } from './ops-server.ts';
import { createSources } from './ops-sources.ts';
import { openQueue } from './queue.ts';
import { sweepJob, type SweepJobDeps } from './sweep-job.ts';

export type WorkerDeps = Omit<SweepJobDeps, 'deadlineMs' | 'hasWaiting' | 'loggedPauses' | 'count'> & {
  readonly databaseUrl: DatabaseUrl;
  /** Schedule of the sweeps, a cron expression in UTC. */
  readonly cron: string;
  /** Maximum number of shops swept at once by this worker. */
  readonly slots: number;
  readonly port: number;
  readonly opsPassword: string | undefined;
  readonly opsHosts: readonly string[];
  /** Undefined: nobody is told. */
  readonly alertWebhookUrl: string | undefined;
  /** Why this database is not usable, if it is not. */
  readonly unreadiness: (db: Tx) => Promise<string | undefined>;
};

/** A sweep may exceed its budget by this: for windows in flight, buyers, groups and a slow shop. */
const GRACE_MS = 180_000;

const READY_WITHIN_MS = 5_000;

const UNFINISHED =
  'sweeps were begun repeatedly and not finished, because their workers died or lost the database; look at the logs and ' +
  'memory of the workers';

/** Of the queue alone: sweeps may use all others. */
export const QUEUE_CONNECTIONS = 3;

/**
 * Sweeps the registered shops, sharing them with every other worker on the same database, until stopped; then finishes
 * what is in flight, releases its leases and its jobs, and returns.
 *
 * @param onReady called with the port of the ops server once the worker is running
 */
export async function runWorker(deps: WorkerDeps, onReady: (port: number) => void): Promise<void> {
  const { registry, logger, stopping } = deps;
  const deadlineMs = deps.budgetMs + GRACE_MS;
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(deps.databaseUrl, QUEUE_CONNECTIONS, 'order-sync queue'));
  const queue = stack.use(await openQueue({ database, sweepDeadlineMs: deadlineMs, logger }));
  const findPolicy = (shopKey: string) => registry.find(shopKey)?.shop.freshness;
  const watched = { ...deps, db: database.db, queue, findPolicy };
  const { metrics, shop, status } = createSources(watched);
  registry.onAttempt(metrics.countAttempt);
  stack.use(keepSummaries(deps.db, logger, stopping));
  const { opsPassword: password, opsHosts: names, port } = deps;
  const unreadiness = async () => readWithin(database.db, READY_WITHIN_MS, deps.unreadiness);
  const server = stack.use(
    await startOpsServer({ port, password, names }, { unreadiness, status, shop, metrics }),
  );
  const loggedPauses = new Map<string, number>();
  const watch = { deadlineMs, hasWaiting: () => queue.hasWaiting() };
  const job = { ...deps, ...watch, loggedPauses, count: metrics.countSweep };
  const sweep = (shopKey: string, signal: AbortSignal) => sweepJob(job, shopKey, signal);
  const onGivenUp = async (shop: string, reason: string | undefined) => {
    logger.warn({ shop, reason: reason ?? UNFINISHED }, 'sweep given up');
    // One that failed shows in the run, or the shop gets stale.
    if (reason === undefined) await recordCrashes(deps.db, shop, UNFINISHED);
  };
  await queue.work(deps.slots, sweep, onGivenUp);
  const shops = () => registry.shops.map(({ shop }) => shop);
  const readKnownShops = async () => (await listShops(deps.db)).map(({ shopKey }) => shopKey);
  const dispatcher = stack.use(startDispatcher({ ...deps, queue, shops, readKnownShops }));
  const { alertWebhookUrl: url } = deps;
  if (url !== undefined) stack.use(startAlerts(deps, { url }));
  registry.onConfigured(() => dispatcher.sendAll());
  onReady(server.port);
  if (!stopping.aborted) await once(stopping, 'abort');
  logger.info({}, 'stopping');
}
