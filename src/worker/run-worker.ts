import { once } from 'node:events';

import type { FreshnessPolicy } from '../plan/freshness.ts';
import { openDatabase } from '../warehouse/db/database.ts';
import { leaseOwnerName } from '../sync/run/lease-owner.ts';
import { releaseRoles } from '../warehouse/ops/worker-roles.ts';
import { sendAlert } from './alerts.ts';
import { type OpsSources, startOpsServer } from './ops-server.ts';
import { createSources } from './ops-sources.ts';
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
  /** Of shops that are not configured here. */
  readonly freshness: FreshnessPolicy;
  readonly unreadiness: OpsSources['unreadiness'];
};

/** A sweep may exceed its budget by this: for windows in flight, buyers, groups and a slow shop. */
const GRACE_MS = 180_000;

const QUEUE_CONNECTIONS = 3;

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
  const watched = { ...deps, db: database.db, queue, holder: leaseOwnerName() };
  const { metrics, status } = createSources(watched);
  registry.onAttempt(metrics.countAttempt);
  stack.defer(() => releaseRoles(database.db, watched.holder).catch(() => undefined));
  const { unreadiness } = deps;
  const server = stack.use(await startOpsServer(deps.port, { unreadiness, status, metrics }));
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
