import { backOffMs } from '../model/back-off.ts';
import { ShopBusyError, ShopStoppedError, TransientError } from '../model/errors.ts';
import type { Logger } from '../sync/run/context.ts';
import { toSentence } from '../sync/run/run-record.ts';
import type { LeaseHeartbeat } from '../sync/run/shop-lease.ts';
import { type SweepResult, sweepShop } from '../sync/sweep/sweep-shop.ts';
import { VERSION } from '../model/program.ts';
import type { Db } from '../warehouse/db/database.ts';
import { readFailures } from '../warehouse/reports/alert-facts.ts';
import type { SweepEnd } from './slots.ts';
import type { RegisteredShop, ShopRegistry } from './shop-registry.ts';

/** Longer pauses of a shop whose sweeps fail would hide that it is back. */
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
  /** Called after each sweep, without a result after a failed one. */
  readonly count: (shopKey: string, result: SweepResult | undefined) => void;
};

/**
 * Sweeps one shop. A failure of the shop is recorded in the database, and is no error here.
 *
 * @param heartbeat renews the shop's lease; undefined for a shop that is not registered yet
 * @throws if this worker cannot sweep at all
 */
export async function sweepJob(
  deps: SweepJobDeps,
  shopKey: string,
  heartbeat: LeaseHeartbeat | undefined,
): Promise<SweepEnd> {
  const { db, logger, now, registry, stopping } = deps;
  const registered = registry.find(shopKey);
  // The settings were reloaded meanwhile.
  if (registered === undefined) return 'ended';
  try {
    const result = await sweep(deps, registered, heartbeat);
    deps.count(shopKey, result);
    logSweep(logger, result);
    if (stopping.aborted) return 'interrupted';
    return result.is_cut ? 'unfinished' : 'ended';
  } catch (error) {
    if (stopping.aborted) return 'interrupted';
    if (error instanceof ShopStoppedError || error instanceof ShopBusyError) {
      logger.debug({ shop: shopKey }, 'shop not swept');
      return 'ended';
    }
    deps.count(shopKey, undefined);
    logger.warn({ shop: shopKey, reason: toSentence(error) }, 'sweep failed');
    return { retryMs: backOffMs(await readFailures(db, shopKey, now()), MAX_PAUSE_MS) };
  }
}

async function sweep(
  deps: SweepJobDeps,
  { shop, api }: RegisteredShop,
  heartbeat: LeaseHeartbeat | undefined,
): Promise<SweepResult> {
  const { budgetMs, db, logger, now, runsKeptMs, rawKeptMs, stopping } = deps;
  using giveWay = watchWaiting(deps.hasWaiting);
  const request = { kind: 'sync', isScheduled: true, budgetMs, mustEnd: giveWay.mustEnd } as const;
  return await withWatchdog(deps.deadlineMs, stopping, async (signal) => {
    const context = {
      db,
      logger,
      now,
      version: VERSION,
      runsKeptMs,
      rawKeptMs,
      api,
      shop,
      signal,
      heartbeat,
    };
    // The worker refreshes the summaries of all shops.
    return await sweepShop({ ...context, refreshesSummaries: false }, request);
  });
}

/** Most sweeps of most shops find nothing: hundreds of shops would fill a disk with that. */
function logSweep(logger: Logger, result: SweepResult): void {
  const {
    error: _none,
    problems: _why,
    warnings: _also,
    estimate: _asked,
    throttle: _pace,
    ...figures
  } = result;
  const found = result.orders_new + result.orders_changed + result.orders_missing;
  logger[result.status === 'ok' && found === 0 ? 'debug' : 'info'](figures, 'sweep ended');
}

/** A sweep that has lasted this long gives way to others. */
const SHARE_MS = 20_000;
const POLL_MS = 5_000;

/** Tells a long sweep when to leave its slot to those that wait. */
export type GiveWay = Disposable & { readonly mustEnd: () => boolean };

/** @param hasWaiting whether another sweep waits; a failure counts as no */
export function watchWaiting(hasWaiting: () => Promise<boolean>): GiveWay {
  const beganMs = performance.now();
  let mustEnd = false;
  const look = async () => {
    if (performance.now() - beganMs >= SHARE_MS) mustEnd ||= await hasWaiting().catch(() => false);
  };
  const polling = setInterval(() => void look(), POLL_MS);
  return { mustEnd: () => mustEnd, [Symbol.dispose]: () => clearInterval(polling) };
}

/** Time to stop after an abort. */
const STOP_WITHIN_MS = 10_000;

/**
 * Aborts the work at the deadline, and abandons it if it does not stop, so that a hanging sweep frees its slot.
 *
 * @param stopping stops the work as well
 * @throws TransientError at the deadline, the reason of `stopping`, or what `work` throws
 */
export async function withWatchdog<Result>(
  deadlineMs: number,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [late, hung] = [new AbortController(), Promise.withResolvers<never>()];
  const signal = AbortSignal.any([late.signal, stopping]);
  const reason = `the sweep was stopped after ${Math.round(deadlineMs / 1000)} s because it took too long`;
  const deadline = setTimeout(() => late.abort(new TransientError(reason)), deadlineMs);
  let grace: NodeJS.Timeout | undefined;
  const onAbort = () => {
    grace = setTimeout(() => hung.reject(signal.reason), STOP_WITHIN_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work(signal), hung.promise]);
  } finally {
    clearTimeout(deadline);
    clearTimeout(grace);
    signal.removeEventListener('abort', onAbort);
  }
}
