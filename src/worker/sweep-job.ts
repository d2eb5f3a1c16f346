import { LeaseLostError, ShopStoppedError, TerminalError, TransientError } from '../errors.ts';
import type { Logger, Progress } from '../sync/run/context.ts';
import { type SweepResult, sweepShop } from '../sync/sweep/sweep-shop.ts';
import { VERSION } from '../version.ts';
import type { Db } from '../warehouse/db/database.ts';
import { readFailures } from '../warehouse/reports/alert-facts.ts';
import type { SweepEnd } from './queue.ts';
import type { RegisteredShop, ShopRegistry } from './shop-registry.ts';
import { withWatchdog } from './watchdog.ts';

const OF_WORKER = {
  /** The lifetime of a dead process's lease. */
  leaseWaitMs: 35_000,
  /** The worker refreshes them for all shops. */
  refreshesSummaries: false,
} as const;
const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 600_000;

export type SweepJobDeps = {
  readonly db: Db;
  readonly registry: ShopRegistry;
  readonly logger: Logger;
  /** A sweep starts no new window after this. */
  readonly budgetMs: number;
  /** How long runs and settled rejections are kept. */
  readonly runsKeptMs: number;
  readonly rawKeptMs: number | undefined;
  /** Maximum duration of a sweep. */
  readonly deadlineMs: number;
  /** Whether another sweep waits for a slot: then a long one ends early. */
  readonly hasWaiting: () => Promise<boolean>;
  readonly now: () => Temporal.Instant;
  /** Aborted to stop the worker. */
  readonly stopping: AbortSignal;
  /** Consecutive failures of each shop at the last logged pause: a pause is logged once, not at every tick. */
  readonly loggedPauses: Map<string, number>;
  /** Called after each sweep, without a result after a failed one. */
  readonly count: (shopKey: string, result: SweepResult | undefined) => void;
};

/**
 * Sweeps one shop. A failure of the shop is recorded in the database, and is no error here.
 *
 * @returns `interrupted` when the worker is stopping: another one must take over; `unfinished` when time ended the sweep
 * @throws if this worker cannot sweep at all
 */
export async function sweepJob(deps: SweepJobDeps, shopKey: string, signal: AbortSignal): Promise<SweepEnd> {
  const { db, logger, now } = deps;
  const registered = deps.registry.find(shopKey);
  // Other workers may have reloaded their settings earlier, or later.
  if (registered === undefined) {
    logger.info({ shop: shopKey }, 'shop not configured here');
    return 'ended';
  }
  const began = now();
  const before = await readFailures(db, shopKey, began);
  const pausedUntil = findPauseEnd(before, registered.since);
  if (pausedUntil !== undefined && Temporal.Instant.compare(began, pausedUntil) < 0) {
    const { failures } = before;
    if (deps.loggedPauses.get(shopKey) !== failures) {
      logger.info({ shop: shopKey, failures, until: pausedUntil.toString() }, 'shop paused after failures');
    }
    deps.loggedPauses.set(shopKey, failures);
    return 'ended';
  }
  deps.loggedPauses.delete(shopKey);
  const result = await sweep(deps, registered, signal);
  if (deps.stopping.aborted) return 'interrupted';
  return result?.isCut === true ? 'unfinished' : 'ended';
}

/** Doubles with each consecutive failure, so that a shop that is down does not take the slots of the others. */
export function pauseAfterFailuresMs(failures: number): number {
  if (failures < 1) return 0;
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
}

/** Undefined where the shop has not failed with its current settings. */
function findPauseEnd(
  { failures, lastFailedAt }: Awaited<ReturnType<typeof readFailures>>,
  since: Temporal.Instant,
): Temporal.Instant | undefined {
  if (lastFailedAt === undefined || Temporal.Instant.compare(lastFailedAt, since) < 0) return undefined;
  return lastFailedAt.add({ milliseconds: pauseAfterFailuresMs(failures) });
}

/** @returns undefined for a sweep that failed, or of a shop that was stopped */
async function sweep(
  deps: SweepJobDeps,
  { shop, api }: RegisteredShop,
  signal: AbortSignal,
): Promise<SweepResult | undefined> {
  const { db, logger, now, runsKeptMs, rawKeptMs, stopping } = deps;
  using giveWay = watchWaiting(deps.hasWaiting);
  const request = {
    kind: 'sync',
    isScheduled: true,
    budgetMs: deps.budgetMs,
    mustEnd: giveWay.mustEnd,
  } as const;
  try {
    const result = await withWatchdog(deps.deadlineMs, [stopping, signal], async (watched) => {
      const common = { db, logger, now, version: VERSION, runsKeptMs, rawKeptMs };
      const context = { ...common, api, shop, signal: watched };
      using log = logProgress(logger, shop.shopKey);
      return await sweepShop({ ...context, ...OF_WORKER }, request, log.watch);
    });
    deps.count(shop.shopKey, result);
    const { status, counts, daysDue } = result;
    const level = isIdle(result) ? 'debug' : 'info';
    logger[level]({ shop: shop.shopKey, status, days_due: daysDue, ...counts }, 'sweep ended');
    return result;
  } catch (error) {
    if (stopping.aborted) return undefined;
    if (error instanceof ShopStoppedError) {
      logger.debug({ shop: shop.shopKey }, 'shop stopped');
      return undefined;
    }
    const isOfShop = [TerminalError, TransientError, LeaseLostError].some((kind) => error instanceof kind);
    if (!isOfShop) throw error;
    deps.count(shop.shopKey, undefined);
    logger.warn({ shop: shop.shopKey, reason: error instanceof Error ? error.message : '' }, 'sweep failed');
    return undefined;
  }
}

/** Most sweeps of most shops find nothing: hundreds of shops would fill a disk with that. */
function isIdle({ counts, status }: SweepResult): boolean {
  const found = counts.orders_new + counts.orders_changed + counts.orders_missing;
  return status === 'ok' && found === 0;
}

const LOG_EVERY_MS = 60_000;

/** A first load takes hours: the log shows its progress. */
export function logProgress(
  logger: Logger,
  shopKey: string,
): Disposable & { readonly watch: (read: () => Progress) => void } {
  let read: (() => Progress) | undefined;
  const timer = setInterval(() => {
    if (read === undefined) return;
    const { phase, daysDone, daysTotal, orders, ordersStored, requests, secondsLeft } = read();
    const days = { days_verified: daysDone, days_due: daysTotal };
    // A long window is stored in parts, and counts as seen when it is whole.
    const rest = secondsLeft === undefined ? {} : { seconds_left: Math.round(secondsLeft) };
    const figures = { ...days, orders_seen: orders, orders_stored: ordersStored, requests, ...rest };
    logger.info({ shop: shopKey, phase, ...figures }, 'sweep in progress');
  }, LOG_EVERY_MS);
  return {
    watch: (given) => void (read = given),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** A sweep that has lasted this long gives way to others. */
const SHARE_MS = 20_000;
const POLL_MS = 5_000;

/** Tells a long sweep when to leave its slot to those that wait. */
export type GiveWay = Disposable & { readonly mustEnd: () => boolean };

/** @param hasWaiting whether another sweep waits; a failure counts as no */
export function watchWaiting(hasWaiting: () => Promise<boolean>, shareMs = SHARE_MS): GiveWay {
  let mustEnd = false;
  const look = async () => {
    mustEnd ||= await hasWaiting().catch(() => false);
    if (mustEnd) clearInterval(polling);
  };
  let polling: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    polling = setInterval(() => void look(), POLL_MS);
    void look();
  }, shareMs);
  return {
    mustEnd: () => mustEnd,
    [Symbol.dispose]() {
      clearTimeout(first);
      clearInterval(polling);
    },
  };
}
