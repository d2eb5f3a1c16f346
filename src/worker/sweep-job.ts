import { LeaseLostError, TerminalError, TransientError } from '../errors.ts';
import type { Logger, Progress } from '../sync/run/context.ts';
import { type SweepResult, sweepShop } from '../sync/sweep/sweep-shop.ts';
import { VERSION } from '../version.ts';
import type { Db } from '../warehouse/db/database.ts';
import { readShopHealth, type ShopHealth } from '../warehouse/reports/shop-health.ts';
import { type Alert, alertAfter } from './alerts.ts';
import type { Fleet, Member } from './shop-registry.ts';
import { pauseAfterFailuresMs } from './pause-after-failures.ts';
import { withWatchdog } from './watchdog.ts';

/** As long as the lease of a process that died lasts; who works on the shop for longer is waited for by the next sweep. */
const LEASE_WAIT_MS = 35_000;
const TELL_EVERY_MS = 60_000;

export type SweepJobDeps = {
  readonly db: Db;
  readonly fleet: Fleet;
  readonly logger: Logger;
  readonly budgetMs: number;
  /** Longest that a sweep may take in all. */
  readonly deadlineMs: number;
  readonly now: () => Temporal.Instant;
  /** Aborted when the worker is to stop. */
  readonly stopping: AbortSignal;
  /** Failures in a row of each shop whose pause was logged: a pause is logged once, not at every tick within it. */
  readonly loggedPauses: Map<string, number>;
  readonly alert: (alert: Alert) => Promise<void>;
  /** Told how a sweep ended; of one that failed there is no result. */
  readonly count: (shopKey: string, result: SweepResult | undefined) => void;
};

/**
 * One sweep of one shop. That a shop could not be read is in the books afterwards and no error here.
 *
 * @returns `interrupted` when the worker was told to stop: another one is to take the sweep over
 * @throws what made the sweep impossible on this worker
 */
export async function sweepJob(
  deps: SweepJobDeps,
  shopKey: string,
  signal: AbortSignal,
): Promise<'ended' | 'interrupted'> {
  const { db, logger, now } = deps;
  const member = deps.fleet.find(shopKey);
  // Other workers may have been told of it already, or still.
  if (member === undefined) {
    logger.info({ shop: shopKey }, 'shop not configured here');
    return 'ended';
  }
  const began = now();
  const before = await readShopHealth(db, shopKey, began);
  const pausedUntil = pauseEnd(before, member.since);
  if (pausedUntil !== undefined && Temporal.Instant.compare(began, pausedUntil) < 0) {
    logPause(deps, shopKey, before.failures, pausedUntil);
    return 'ended';
  }
  deps.loggedPauses.delete(shopKey);
  await sweep(deps, member, signal);
  if (deps.stopping.aborted) return 'interrupted';
  const ended = now();
  const alert = alertAfter(shopKey, before, began, await readShopHealth(db, shopKey, ended), ended);
  if (alert !== undefined) await deps.alert(alert);
  return 'ended';
}

function logPause(
  { loggedPauses, logger }: SweepJobDeps,
  shopKey: string,
  failures: number,
  until: Temporal.Instant,
): void {
  if (loggedPauses.get(shopKey) === failures) return;
  loggedPauses.set(shopKey, failures);
  logger.info({ shop: shopKey, failures, until: until.toString() }, 'shop paused after failures');
}

/** @returns until when a shop is left alone; undefined where it did not fail with its present settings */
function pauseEnd(
  { failures, lastFailedAt }: ShopHealth,
  since: Temporal.Instant,
): Temporal.Instant | undefined {
  if (lastFailedAt === undefined || Temporal.Instant.compare(lastFailedAt, since) < 0) return undefined;
  return lastFailedAt.add({ milliseconds: pauseAfterFailuresMs(failures) });
}

/** A first load takes hours of sweeps of minutes each: whoever reads the log is to see it move. */
function tellNowAndThen(
  logger: Logger,
  shopKey: string,
): Disposable & { readonly watch: (read: () => Progress) => void } {
  let read: (() => Progress) | undefined;
  const timer = setInterval(() => {
    if (read === undefined) return;
    const { phase, daysDone, daysTotal, orders, requests } = read();
    const figures = { days_verified: daysDone, days_due: daysTotal, orders_seen: orders, requests };
    logger.info({ shop: shopKey, phase, ...figures }, 'sweep under way');
  }, TELL_EVERY_MS);
  return {
    watch: (given) => void (read = given),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

async function sweep(deps: SweepJobDeps, { shop, api }: Member, signal: AbortSignal): Promise<void> {
  const { db, logger, now, stopping } = deps;
  const request = { kind: 'sync', budgetMs: deps.budgetMs } as const;
  try {
    const result = await withWatchdog(deps.deadlineMs, [stopping, signal], async (watched) => {
      const context = { api, db, shop, logger, now, signal: watched, version: VERSION };
      using told = tellNowAndThen(logger, shop.shopKey);
      return await sweepShop({ ...context, leaseWaitMs: LEASE_WAIT_MS }, request, told.watch);
    });
    deps.count(shop.shopKey, result);
    const { status, counts, daysDue } = result;
    logger.info({ shop: shop.shopKey, status, days_due: daysDue, ...counts }, 'sweep ended');
  } catch (error) {
    if (stopping.aborted) return;
    const isOfShop = [TerminalError, TransientError, LeaseLostError].some((kind) => error instanceof kind);
    if (!isOfShop) throw error;
    deps.count(shop.shopKey, undefined);
    logger.warn({ shop: shop.shopKey, reason: error instanceof Error ? error.message : '' }, 'sweep failed');
  }
}
