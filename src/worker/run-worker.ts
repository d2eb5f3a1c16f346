import { once } from 'node:events';

import { openDatabase } from '../warehouse/db/database.ts';
import { sendAlert } from './alerts.ts';
import { createMetrics, readScrape } from './metrics.ts';
import { type OpsSources, startOpsServer } from './ops-server.ts';
import { openQueue } from './queue.ts';
import { startSchedule } from './schedule.ts';
import { sweepJob, type SweepJobDeps } from './sweep-job.ts';

export type WorkerDeps = Omit<SweepJobDeps, 'deadlineMs' | 'loggedPauses' | 'alert' | 'count'> & {
  readonly databaseUrl: string;
  /** Schedule of the sweeps, a cron expression in UTC. */
  readonly cron: string;
  /** Maximum number of shops swept at once by this worker. */
  readonly slots: number;
  readonly port: number;
  readonly alertWebhookUrl: string | undefined;
  readonly sources: Pick<OpsSources, 'unreadiness' | 'status'>;
};

/** A sweep may exceed its budget by this: for windows in flight, buyers, groups and a slow shop. */
const GRACE_MS = 180_000;

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
  const metrics = createMetrics(() => readScrape(deps, () => queue.stats()));
  registry.onAttempt(metrics.countAttempt);
  const server = stack.use(await startOpsServer(deps.port, { ...deps.sources, metrics }));
  const alert = (raised: Parameters<typeof sendAlert>[1]) => sendAlert(deps.alertWebhookUrl, raised, logger);
  const loggedPauses = new Map<string, number>();
  const job = { ...deps, deadlineMs, loggedPauses, alert, count: metrics.countSweep };
  const sweep = (shopKey: string, signal: AbortSignal) => sweepJob(job, shopKey, signal);
  const onDead = (shop: string) =>
    alert({
      shop,
      kind: 'given up',
      text: `order-sync: workers died repeatedly while sweeping shop ${shop}`,
    });
  await queue.work(deps.slots, sweep, onDead);
  const tick = async () => {
    for (const { shop } of registry.shops) await queue.send(shop.shopKey);
  };
  const schedule = stack.use(startSchedule(deps.cron, tick, logger));
  registry.onConfigured(() => schedule.tickNow());
  onReady(server.port);
  if (!stopping.aborted) await once(stopping, 'abort');
  logger.info({}, 'stopping');
}
