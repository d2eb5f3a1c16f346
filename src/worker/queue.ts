import { setTimeout as sleep } from 'node:timers/promises';

import { type ConstructorOptions, type Job, PgBoss } from 'pg-boss';

import { TerminalError } from '../errors.ts';
import type { Logger } from '../sync/run/context.ts';
import { databaseSentence } from '../warehouse/db/database-error.ts';
import { findFault } from '../warehouse/db/database-fault.ts';
import type { Database } from '../warehouse/db/database.ts';

const INSUFFICIENT_PRIVILEGE = '42501';
const QUEUE = 'order-sync-sweep';
const DEAD_LETTERS = 'order-sync-sweep-dead';
/** A worker that is silent for this long is presumed dead, and another takes over its sweep. */
const HEARTBEAT_S = 10;
const DAY_S = 86_400;
const STOP_WITHIN_MS = 5_000;
const LOG_EVERY_MS = 60_000;

export type QueueOptions = {
  /** Has its own pool: a busy sweep may use every other connection. */
  readonly database: Pick<Database, 'query'>;
  /** Maximum duration of a sweep, its watchdog's grace included. */
  readonly sweepDeadlineMs: number;
  /** @default 1_000 */
  readonly pollMs?: number;
  readonly logger: Logger;
};

/** Sweeps that are waiting, running and given up, over all workers. */
export type QueueStats = { readonly queued: number; readonly active: number; readonly failed: number };

/** The sweeps to do, shared by all workers on one database: at most one per shop waits or runs. */
export type SweepQueue = AsyncDisposable & {
  /** @returns false where a sweep of the shop already waits or runs */
  send(shopKey: string): Promise<boolean>;
  /**
   * Takes sweeps, oldest first, `slots` at a time.
   *
   * @param sweep if interrupted or rejected, it goes to the next free worker
   * @param onDead called for a shop whose sweep was given up after several attempts
   */
  work(
    slots: number,
    sweep: (shopKey: string, signal: AbortSignal) => Promise<'ended' | 'interrupted'>,
    onDead: (shopKey: string) => Promise<void>,
  ): Promise<void>;
  stats(): Promise<QueueStats>;
};

/** Creates or updates the queue's tables, for workers who may not. */
export async function installQueue(database: QueueOptions['database']): Promise<void> {
  const boss = createBoss(database, { supervise: false });
  // A failure is thrown as well.
  boss.on('error', () => undefined);
  await boss.start();
  await boss.stop({ graceful: false });
}

function createBoss(database: QueueOptions['database'], options: ConstructorOptions): PgBoss {
  const db = { executeSql: (text: string, values?: unknown[]) => database.query(text, values) };
  // The worker has a schedule of its own; the ledger decides what is due.
  return new PgBoss({ db, schedule: false, ...options });
}

/** @throws TerminalError when its tables are missing or older than this version, and this user may not change that */
async function start(boss: PgBoss): Promise<void> {
  try {
    await boss.start();
  } catch (error) {
    if (findFault(error, ({ code }) => code === INSUFFICIENT_PRIVILEGE) === undefined) throw error;
    throw new TerminalError(
      'the queue in the schema pgboss is missing or outdated, and this user may not create it: run order-sync migrate as ' +
        'the owner of the tables',
      { cause: error },
    );
  }
}

/** Opens the queue in the schema `pgboss` of the warehouse's database, and creates it if needed. */
export async function openQueue(options: QueueOptions): Promise<SweepQueue> {
  const boss = createBoss(options.database, {
    superviseIntervalSeconds: HEARTBEAT_S / 2,
    monitorIntervalSeconds: HEARTBEAT_S / 2,
    queueCacheIntervalSeconds: HEARTBEAT_S / 2,
  });
  boss.on('error', logThrottled(options.logger));
  await start(boss);
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
      const settings = { localConcurrency: slots, pollingIntervalSeconds };
      await boss.work(QUEUE, settings, async (jobs: SweepMessage[]) => {
        for (const { data, signal } of jobs) {
          if ((await sweep(data.shopKey, signal)) === 'interrupted') interrupted.add(data.shopKey);
        }
      });
      await boss.work(DEAD_LETTERS, { pollingIntervalSeconds: 30 }, async (jobs: SweepMessage[]) => {
        for (const { data } of jobs) await onDead(data.shopKey);
      });
    },
    stats: () => readStats(boss),
    async [Symbol.asyncDispose]() {
      // Sweeps in flight were aborted before: the time is for their last transaction.
      await Promise.race([boss.offWork(QUEUE), sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      for (const shopKey of interrupted) await send(shopKey).catch(() => undefined);
      await boss.stop({ graceful: true, timeout: 1_000 });
    },
  };
}

/** While the database is down every poll fails: logs that once a minute, with the number of errors. */
function logThrottled(logger: Logger): (error: unknown) => void {
  let [loggedAtMs, errors] = [Number.NEGATIVE_INFINITY, 0];
  return (error) => {
    errors++;
    if (performance.now() - loggedAtMs < LOG_EVERY_MS) return;
    logger.warn({ reason: databaseSentence(error), errors }, 'queue error');
    [loggedAtMs, errors] = [performance.now(), 0];
  };
}

type SweepMessage = Job<{ readonly shopKey: string }>;

async function createQueues(boss: PgBoss, sweepDeadlineMs: number): Promise<void> {
  const retention = { retentionSeconds: DAY_S, deleteAfterSeconds: 3_600 };
  await boss.createQueue(DEAD_LETTERS, { ...retention, retryLimit: 0 });
  const sweeps = {
    ...retention,
    deadLetter: DEAD_LETTERS,
    expireInSeconds: Math.ceil(sweepDeadlineMs / 1000) + 60,
    heartbeatSeconds: HEARTBEAT_S,
    // Only a worker that died or lost its database leaves a sweep to retry.
    retryLimit: 5,
    retryDelay: 1,
  };
  await boss.createQueue(QUEUE, { ...sweeps, policy: 'exclusive' });
  // An older worker may have created it with other settings.
  await boss.updateQueue(QUEUE, sweeps);
}

async function readStats(boss: PgBoss): Promise<QueueStats> {
  const [stats] = await boss.getQueueStats(QUEUE, { force: true });
  const { queuedCount = 0, activeCount = 0, failedCount = 0 } = stats ?? {};
  return { queued: queuedCount, active: activeCount, failed: failedCount };
}
