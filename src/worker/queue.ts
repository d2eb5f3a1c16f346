import { setTimeout as sleep } from 'node:timers/promises';

import { type Job, PgBoss } from 'pg-boss';

import type { Logger } from '../sync/run/context.ts';
import { databaseSentence } from '../warehouse/db/database-error.ts';
import type { Database } from '../warehouse/db/database.ts';

const QUEUE = 'order-sync-sweep';
const DEAD_LETTERS = 'order-sync-sweep-dead';
/** A worker that is silent for this long is taken for dead, and its sweep given to another. */
const HEARTBEAT_S = 10;
const DAY_S = 86_400;
const STOP_WITHIN_MS = 5_000;
const TELL_EVERY_MS = 60_000;

export type QueueOptions = {
  /** Pooled apart from the sweeps' connections, of which a busy sweep may leave none. */
  readonly database: Pick<Database, 'query'>;
  /** Longest that a sweep may take, its watchdog's grace included. */
  readonly sweepDeadlineMs: number;
  /** Between two looks for work. @default 1_000 */
  readonly pollMs?: number;
  readonly logger: Logger;
};

/** Sweeps that wait, that run, and that were given up, over all workers. */
export type QueueFigures = { readonly queued: number; readonly active: number; readonly failed: number };

/** The sweeps to be done, shared by all workers on one database: at most one per shop is waiting or running. */
export type SweepQueue = AsyncDisposable & {
  /** @returns whether it was added; false where one of that shop waits or runs already */
  send(shopKey: string): Promise<boolean>;
  /**
   * Takes sweeps, oldest first, `slots` at a time.
   *
   * @param sweep one that was interrupted, or rejected, is given to whichever worker is free next
   * @param onDead told of a shop whose sweep was given up after several tries
   */
  work(
    slots: number,
    sweep: (shopKey: string, signal: AbortSignal) => Promise<'ended' | 'interrupted'>,
    onDead: (shopKey: string) => Promise<void>,
  ): Promise<void>;
  figures(): Promise<QueueFigures>;
};

/** Opens the queue in the schema `pgboss` of the warehouse's database, and creates it there at the first time. */
export async function openQueue(options: QueueOptions): Promise<SweepQueue> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => options.database.query(text, values) },
    // The tick comes from elsewhere, and only as a hint: what is due is in the ledger.
    schedule: false,
    superviseIntervalSeconds: HEARTBEAT_S / 2,
    monitorIntervalSeconds: HEARTBEAT_S / 2,
    queueCacheIntervalSeconds: HEARTBEAT_S / 2,
  });
  boss.on('error', errorTeller(options.logger));
  await boss.start();
  try {
    await createQueues(boss, options.sweepDeadlineMs);
  } catch (error) {
    await boss.stop({ graceful: false });
    throw error;
  }
  const interrupted = new Set<string>();
  const send = async (shopKey: string) =>
    (await boss.send(QUEUE, { shopKey }, { singletonKey: shopKey })) !== null;
  return {
    send,
    async work(slots, sweep, onDead) {
      const pollingIntervalSeconds = (options.pollMs ?? 1_000) / 1000;
      await boss.work(
        QUEUE,
        { localConcurrency: slots, pollingIntervalSeconds },
        async (jobs: SweepOrder[]) => {
          for (const { data, signal } of jobs) {
            if ((await sweep(data.shopKey, signal)) === 'interrupted') interrupted.add(data.shopKey);
          }
        },
      );
      await boss.work(DEAD_LETTERS, { pollingIntervalSeconds: 30 }, async (jobs: SweepOrder[]) => {
        for (const { data } of jobs) await onDead(data.shopKey);
      });
    },
    figures: () => readFigures(boss),
    async [Symbol.asyncDispose]() {
      // What is in flight was told to stop before: the time is only for its last transaction.
      await Promise.race([boss.offWork(QUEUE), sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      for (const shopKey of interrupted) await send(shopKey).catch(() => undefined);
      await boss.stop({ graceful: true, timeout: 1_000 });
    },
  };
}

/** While the database is away, every look for work fails: that is told once a minute, with how often it was. */
function errorTeller(logger: Logger): (error: unknown) => void {
  let [toldAtMs, untold] = [Number.NEGATIVE_INFINITY, 0];
  return (error) => {
    untold++;
    if (performance.now() - toldAtMs < TELL_EVERY_MS) return;
    logger.warn({ reason: databaseSentence(error), errors: untold }, 'queue error');
    [toldAtMs, untold] = [performance.now(), 0];
  };
}

type SweepOrder = Job<{ readonly shopKey: string }>;

async function createQueues(boss: PgBoss, sweepDeadlineMs: number): Promise<void> {
  const kept = { retentionSeconds: DAY_S, deleteAfterSeconds: 3_600 };
  await boss.createQueue(DEAD_LETTERS, { ...kept, retryLimit: 0 });
  const sweeps = {
    ...kept,
    deadLetter: DEAD_LETTERS,
    expireInSeconds: Math.ceil(sweepDeadlineMs / 1000) + 60,
    heartbeatSeconds: HEARTBEAT_S,
    // Only a worker that died, or whose database was away, leaves a sweep to be tried again.
    retryLimit: 5,
    retryDelay: 1,
  };
  await boss.createQueue(QUEUE, { ...sweeps, policy: 'exclusive' });
  // An older worker may have created it with other times.
  await boss.updateQueue(QUEUE, sweeps);
}

async function readFigures(boss: PgBoss): Promise<QueueFigures> {
  const [stats] = await boss.getQueueStats(QUEUE, { force: true });
  return {
    queued: stats?.queuedCount ?? 0,
    active: stats?.activeCount ?? 0,
    failed: stats?.failedCount ?? 0,
  };
}
