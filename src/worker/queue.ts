import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ConstructorOptions, type Job, type JobWithMetadata, PgBoss, type WorkOptions } from 'pg-boss';
import { z } from 'zod';

import { TerminalError } from '../errors.ts';
import type { Logger } from '../sync/run/context.ts';
import { databaseSentence, during, isDatabaseError } from '../warehouse/db/database-error.ts';
import { findFault } from '../warehouse/db/database-sentences.ts';
import type { Database } from '../warehouse/db/database.ts';
import { nextStep } from '../next-step.ts';

const INSUFFICIENT_PRIVILEGE = '42501';
/** Made by the migrations. Another program in this database may use pg-boss too, of another version, in its usual schema. */
const SCHEMA = 'order_sync_queue';
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
  /** How often to look for sweeps that were given up. @default 30_000 */
  readonly deadPollMs?: number;
  readonly logger: Logger;
};

/** Sweeps that are waiting, running and given up, over all workers. */
export type QueueStats = { readonly queued: number; readonly active: number; readonly failed: number };

/** How a sweep is ranked: of a shop that was never swept, of what is due, or the rest of a long one, such as a first load. */
type Urgency = 'new' | 'due' | 'rest';

/** pg-boss takes higher numbers first. */
const PRIORITY: Readonly<Record<Urgency, number>> = { new: 2, due: 1, rest: 0 };

export type QueuedSweep = { readonly shopKey: string; readonly urgency: Urgency };

/** How a sweep ended; `unfinished`: it left time to others, and must go on. */
export type SweepEnd = 'ended' | 'unfinished' | 'interrupted';

type SweepData = { readonly shopKey: string };
/** @param reason why the last attempt failed; undefined if its worker did not say, since it died or lost the database */
type GivenUp = (shopKey: string, reason: string | undefined) => Promise<void>;
type Sweep = (shopKey: string, signal: AbortSignal) => Promise<SweepEnd>;

/** Creates or updates the queue's tables, for workers who may not. */
export async function installQueue(database: QueueOptions['database']): Promise<void> {
  const boss = createBoss(database, { supervise: false });
  // A failure is thrown as well.
  boss.on('error', () => undefined);
  await during('preparing the queue', () => boss.start());
  await boss.stop({ graceful: false });
}

function createBoss(database: QueueOptions['database'], options: ConstructorOptions): PgBoss {
  const db = { executeSql: (text: string, values?: unknown[]) => database.query(text, values) };
  // The worker has a schedule of its own; the ledger decides what is due.
  return new PgBoss({ db, schema: SCHEMA, createSchema: false, schedule: false, ...options });
}

/** @throws TerminalError when its tables are missing or older than this version, and this user may not change that */
async function start(boss: PgBoss): Promise<void> {
  try {
    await boss.start();
  } catch (error) {
    if (findFault(error, ({ code }) => code === INSUFFICIENT_PRIVILEGE) === undefined) throw error;
    throw new TerminalError(
      `the queue in the schema ${SCHEMA} is missing or outdated, and this user may not create it: run ${nextStep('apply migrations')} ` +
        'as the owner of the tables',
      { cause: error },
    );
  }
}

/** Opens the queue in the warehouse's database, and creates its tables if needed. */
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
  return new SweepQueue(boss, options);
}

/**
 * What a clock wrote that ran ahead, the database's or a worker's, holds up nothing: what waits or runs is of now, and what ended
 * for a tick that comes only now is not for this one.
 *
 * $1: the queues; $2: the ids of the tick's sweeps; $3: the tick
 */
const FORGET_FUTURE = `
  WITH waiting AS (
    UPDATE ${SCHEMA}.job SET start_after = least(start_after, now()), started_on = least(started_on, now()),
      created_on = least(created_on, now()), heartbeat_on = least(heartbeat_on, now())
    WHERE name = ANY ($1) AND state < 'completed'
      AND greatest(start_after, started_on, created_on, heartbeat_on) > now() + interval '1 minute'
  ), watched AS (
    UPDATE ${SCHEMA}.queue SET monitor_on = least(monitor_on, now()), maintain_on = least(maintain_on, now())
    WHERE name = ANY ($1) AND greatest(monitor_on, maintain_on) > now() + interval '1 minute'
  )
  DELETE FROM ${SCHEMA}.job
  WHERE name = ANY ($1) AND id = ANY ($2::uuid[]) AND state >= 'completed'
    AND created_on NOT BETWEEN $3::timestamptz - interval '1 minute' AND now() + interval '1 minute'`;

/** The sweeps to do, shared by all workers on one database: at most one per shop waits or runs. */
export class SweepQueue implements AsyncDisposable {
  readonly #boss: PgBoss;
  readonly #query: QueueOptions['database']['query'];
  readonly #pollMs: number;
  readonly #deadPollMs: number;
  /** One for each slot. */
  readonly #workers: string[] = [];
  /** Shops whose sweep this process did not finish. */
  readonly #interrupted = new Set<string>();

  constructor(boss: PgBoss, { database, pollMs = 1_000, deadPollMs = 30_000 }: QueueOptions) {
    this.#boss = boss;
    this.#query = (text, values) => database.query(text, values);
    this.#pollMs = pollMs;
    this.#deadPollMs = deadPollMs;
  }

  /**
   * Adds sweeps, except of shops of which one waits or runs.
   *
   * @param tick adds one sweep of a shop for it, however many workers do
   * @returns how many were added
   */
  async add(sweeps: readonly QueuedSweep[], tick?: Date): Promise<number> {
    const jobs = sweeps.map((sweep) => toJob(sweep, tick));
    if (tick !== undefined) {
      const ids = sweeps.map(({ shopKey }) => tickId(shopKey, tick));
      await this.#query(FORGET_FUTURE, [[QUEUE, DEAD_LETTERS], ids, tick]);
    }
    const added = await this.#boss.insert(QUEUE, jobs, { returnId: true });
    // What belongs to no tick starts at once; for the others the next poll is soon enough.
    if (tick === undefined) for (const worker of this.#workers) this.#boss.notifyWorker(worker);
    return added?.length ?? 0;
  }

  /**
   * Takes sweeps, `slots` at a time: those of new shops first, then what is due, then the rest of long ones; of each the
   * oldest first.
   *
   * @param sweep if interrupted or rejected, it goes to the next free worker; if unfinished, it is queued again
   * @param onGivenUp called for a shop whose sweep was given up after several attempts
   */
  async work(slots: number, sweep: Sweep, onGivenUp: GivenUp): Promise<void> {
    for (const order of slotOrders(slots)) await this.#startSlot(order, sweep);
    const settings = { pollingIntervalSeconds: this.#deadPollMs / 1000, includeMetadata: true } as const;
    await this.#boss.work(DEAD_LETTERS, settings, async (jobs: JobWithMetadata<SweepData>[]) => {
      for (const { data, output } of jobs) await onGivenUp(data.shopKey, readFailure(output));
    });
  }

  /** Whether a sweep waits for a free slot, as of a few seconds ago. */
  async hasWaiting(): Promise<boolean> {
    const [stats] = await this.#boss.getQueueStats(QUEUE);
    return (stats?.readyCount ?? 0) > 0;
  }

  async stats(): Promise<QueueStats> {
    const [stats] = await this.#boss.getQueueStats(QUEUE, { force: true });
    const { queuedCount = 0, activeCount = 0, failedCount = 0 } = stats ?? {};
    return { queued: queuedCount, active: activeCount, failed: failedCount };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Sweeps in flight were aborted before: the time is for their last transaction.
    await Promise.race([this.#boss.offWork(QUEUE), sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
    const rest = [...this.#interrupted].map((shopKey): QueuedSweep => ({ shopKey, urgency: 'due' }));
    await this.add(rest).catch(() => undefined);
    await this.#boss.stop({ graceful: true, timeout: 1_000 });
  }

  async #startSlot(order: SlotOrder, sweep: Sweep): Promise<void> {
    const settings = { ...order, pollingIntervalSeconds: this.#pollMs / 1000 };
    let worker = '';
    worker = await this.#boss.work(QUEUE, settings, async (jobs: Job<SweepData>[]) => {
      for (const job of jobs) await this.#runSweep(job, sweep);
      // It takes the next one without waiting for the next poll.
      this.#boss.notifyWorker(worker);
    });
    this.#workers.push(worker);
  }

  async #runSweep({ id, data: { shopKey }, signal }: Job<SweepData>, sweep: Sweep): Promise<void> {
    const end = await sweep(shopKey, signal).catch((error: unknown) => {
      throw toStorable(error);
    });
    if (end === 'interrupted') this.#interrupted.add(shopKey);
    if (end !== 'unfinished') return;
    // Only one sweep of a shop is accepted at a time.
    await this.#boss.complete(QUEUE, id);
    await this.add([{ shopKey, urgency: 'rest' }]);
  }
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

type SlotOrder = Pick<WorkOptions, 'minPriority' | 'maxPriority' | 'priority'>;

/**
 * What each slot of a worker takes: what ranks highest, except that the second slot is kept free for what is due, since
 * long sweeps may take all the others, and the third takes the oldest, so that long sweeps get on even if something is
 * always due.
 */
function slotOrders(slots: number): readonly SlotOrder[] {
  return Array.from({ length: slots }, (_, slot) => {
    if (slot === 1) return { minPriority: PRIORITY.due, maxPriority: PRIORITY.due };
    return slot === 2 ? { priority: false } : {};
  });
}

function toJob({ shopKey, urgency }: QueuedSweep, tick: Date | undefined) {
  const job = { data: { shopKey }, priority: PRIORITY[urgency], singletonKey: shopKey };
  return tick === undefined ? job : { ...job, id: tickId(shopKey, tick) };
}

/** The same in every worker, so that the queue accepts it once. */
function tickId(shopKey: string, tick: Date): string {
  const hash = createHash('sha256').update(`${tick.toISOString()} ${shopKey}`).digest('hex');
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

class SweepFailure extends Error {
  override readonly name = 'SweepFailure';
}

const stored = z.object({ name: z.literal('SweepFailure'), message: z.string() });

/** pg-boss stores an error with all that hangs on it: one of the database quotes the rows that it refused. */
function toStorable(error: unknown): Error {
  if (isDatabaseError(error)) return new SweepFailure(`the database: ${databaseSentence(error)}`);
  return new SweepFailure(`the sweep failed (${error instanceof Error ? error.name : 'unknown error'})`);
}

/** @param output of a job, as pg-boss stored it @returns undefined if its worker did not say how it ended */
function readFailure(output: unknown): string | undefined {
  return stored.safeParse(output).data?.message;
}
