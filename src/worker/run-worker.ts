import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { keepSummaries } from '../warehouse/ops/refresh-summaries.ts';
import { type DatabaseUrl, openDatabase, type Tx } from '../warehouse/db/database.ts';
import { readWithin } from '../warehouse/db/rows.ts';
import { startAlerts } from './alerts/deliver-alerts.ts';
import type { Webhook } from './alerts/webhook.ts';
import { startOpsServer } from './ops-server.ts';
import { createSources } from './ops-sources.ts';
import { createSchedule } from './schedule.ts';
import { Slots } from './slots.ts';
import { sweepJob, type SweepJobDeps } from './sweep-job.ts';

export type WorkerDeps = Omit<SweepJobDeps, 'deadlineMs' | 'hasWaiting' | 'count'> & {
  readonly databaseUrl: DatabaseUrl;
  /** Schedule of the sweeps, a cron expression in UTC. */
  readonly cron: string;
  /** Maximum number of shops swept at once by this worker. */
  readonly slots: number;
  readonly port: number;
  readonly opsPassword: string | undefined;
  /** Undefined: nobody is told. */
  readonly webhook: Webhook | undefined;
  /** Why this database is not usable, if it is not. */
  readonly unreadiness: (db: Tx) => Promise<string | undefined>;
};

/** A sweep may exceed its budget by this: for windows in flight, buyers, groups and a slow shop. */
const GRACE_MS = 180_000;

const READY_WITHIN_MS = 5_000;
const STOP_WITHIN_MS = 5_000;

/** For claims of shops, health and pages alone: sweeps may use all others. */
export const OWN_CONNECTIONS = 3;

/**
 * Sweeps the registered shops, sharing them with every other worker on the same database, until stopped; then finishes
 * what is in flight, releases its leases, and returns.
 *
 * @param onReady called with the port of the ops server once the worker is running
 */
export async function runWorker(deps: WorkerDeps, onReady: (port: number) => void): Promise<void> {
  const { registry, logger, stopping } = deps;
  const deadlineMs = deps.budgetMs + GRACE_MS;
  await using stack = new AsyncDisposableStack();
  const { db: own } = stack.use(await openDatabase(deps.databaseUrl, OWN_CONNECTIONS, 'order-sync claims'));
  const shopKeys = () => registry.shops.map(({ shop }) => shop.shopKey);
  const schedule = createSchedule(deps.cron, deps.slots);
  const slots = new Slots({ db: own, shopKeys, schedule, logger, stopping });
  const { metrics, shop, status } = createSources({ db: own, now: deps.now, shopKeys });
  registry.onAttempt(metrics.countAttempt);
  stack.use(keepSummaries(deps.db, logger, stopping));
  const { opsPassword: password, port } = deps;
  const unreadiness = async () => readWithin(own, READY_WITHIN_MS, deps.unreadiness);
  const sources = { unreadiness, status, shop, metrics: metrics.render };
  const server = stack.use(await startOpsServer({ port, password }, sources));
  const job = { ...deps, deadlineMs, hasWaiting: () => slots.hasWaiting(), count: metrics.countSweep };
  await slots.hurry(shopKeys());
  registry.onConfigured((changed) => void slots.hurry(changed));
  const sweeping = slots.run(deps.slots, (shopKey, heartbeat) => sweepJob(job, shopKey, heartbeat));
  const { webhook } = deps;
  if (webhook !== undefined) stack.use(startAlerts({ ...deps, webhook }));
  onReady(server.port);
  if (!stopping.aborted) await once(stopping, 'abort');
  logger.info({}, 'stopping');
  // Sweeps in flight are aborted: the time is for their last transaction.
  await Promise.race([sweeping, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
}
