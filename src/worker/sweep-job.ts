import { LeaseLostError, TerminalError, TransientError } from '../errors.ts';
import type { Logger } from '../sync/deps.ts';
import { type SweepResult, sweepShop } from '../sync/sweep-shop.ts';
import { VERSION } from '../version.ts';
import type { Db } from '../warehouse/database.ts';
import { readShopHealth } from '../warehouse/shop-health.ts';
import { type Alert, alertAfter } from './alerts.ts';
import type { Fleet, Member } from './fleet.ts';
import { pauseAfterFailuresMs } from './pause-after-failures.ts';
import { withWatchdog } from './watchdog.ts';

/** As long as the lease of a process that died lasts; who works on the shop for longer is waited for by the next sweep. */
const LEASE_WAIT_MS = 35_000;

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
  if (isPaused(before, began)) {
    logger.debug({ shop: shopKey }, 'shop left alone after failures');
    return 'ended';
  }
  await sweep(deps, member, signal);
  if (deps.stopping.aborted) return 'interrupted';
  const ended = now();
  const alert = alertAfter(shopKey, before, began, await readShopHealth(db, shopKey, ended), ended);
  if (alert !== undefined) await deps.alert(alert);
  return 'ended';
}

function isPaused(
  { failures, lastFailedAt }: Awaited<ReturnType<typeof readShopHealth>>,
  now: Temporal.Instant,
): boolean {
  if (lastFailedAt === undefined) return false;
  return now.since(lastFailedAt).total('milliseconds') < pauseAfterFailuresMs(failures);
}

async function sweep(deps: SweepJobDeps, { shop, api }: Member, signal: AbortSignal): Promise<void> {
  const { db, logger, now, stopping } = deps;
  const request = { kind: 'sync', budgetMs: deps.budgetMs } as const;
  try {
    const result = await withWatchdog(deps.deadlineMs, [stopping, signal], async (watched) => {
      const context = { api, db, shop, logger, now, signal: watched, version: VERSION };
      return sweepShop({ ...context, leaseWaitMs: LEASE_WAIT_MS }, request);
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
