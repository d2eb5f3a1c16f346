import type { Logger } from '../sync/run/context.ts';
import { type Db, openDatabase } from '../warehouse/db/database.ts';
import { sendAlert } from './alerts.ts';
import type { Fleet } from './shop-registry.ts';
import { createMetrics } from './metrics.ts';
import { type OpsSources, startOpsServer } from './ops-server.ts';
import { openQueue } from './queue.ts';
import { startSchedule } from './schedule.ts';
import { readScrape } from './scrape.ts';
import { sweepJob } from './sweep-job.ts';

export type WorkerDeps = {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly fleet: Fleet;
  readonly logger: Logger;
  readonly now: () => Temporal.Instant;
  /** When to look for work, as a cron expression in UTC. */
  readonly cron: string;
  /** Shops swept at once by this worker. */
  readonly slots: number;
  /** No new window is begun in a sweep after this. */
  readonly budgetMs: number;
  readonly port: number;
  readonly alertWebhookUrl: string | undefined;
  readonly sources: Pick<OpsSources, 'unreadiness' | 'status'>;
  /** Aborted when the worker is to stop. */
  readonly stopping: AbortSignal;
};

/** What a sweep may take beyond its budget: the windows in flight, buyers, groups, and a shop that answers slowly. */
const GRACE_MS = 180_000;

const QUEUE_CONNECTIONS = 3;

/**
 * Sweeps the shops of the fleet, together with every other worker on the same database, until told to stop; then ends
 * what is in flight, hands back its leases and its place in the queue, and returns.
 *
 * @param onReady told of the port of the ops server once the worker is at work
 */
export async function runWorker(deps: WorkerDeps, onReady: (port: number) => void): Promise<void> {
  const { fleet, logger, stopping } = deps;
  const deadlineMs = deps.budgetMs + GRACE_MS;
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await openDatabase(deps.databaseUrl, QUEUE_CONNECTIONS, 'order-sync queue'));
  const queue = stack.use(await openQueue({ database, sweepDeadlineMs: deadlineMs, logger }));
  const metrics = createMetrics(() => readScrape(deps, () => queue.figures()));
  fleet.watch(metrics.countAttempt);
  const server = stack.use(await startOpsServer(deps.port, { ...deps.sources, metrics }));
  const alert = (raised: Parameters<typeof sendAlert>[1]) => sendAlert(deps.alertWebhookUrl, raised, logger);
  const loggedPauses = new Map<string, number>();
  const job = { ...deps, deadlineMs, loggedPauses, alert, count: metrics.countSweep };
  const sweep = (shopKey: string, signal: AbortSignal) => sweepJob(job, shopKey, signal);
  const onDead = (shop: string) =>
    alert({ shop, kind: 'given up', text: `order-sync: workers died over shop ${shop} again and again` });
  await queue.work(deps.slots, sweep, onDead);
  const tick = async () => {
    for (const { shop } of fleet.members) await queue.send(shop.shopKey);
  };
  const schedule = stack.use(startSchedule(deps.cron, tick, logger));
  fleet.onConfigured(() => schedule.tickNow());
  onReady(server.port);
  await aborted(stopping);
  logger.info({}, 'stopping');
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
