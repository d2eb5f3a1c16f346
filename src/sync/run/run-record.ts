import { LeaseLostError, TerminalError, TransientError } from '../../model/errors.ts';
import type { RequestCounts } from '../../shop-api/shop-api.ts';
import { databaseSentence, isDatabaseError } from '../../warehouse/db/database-error.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { fenced, type Lease } from '../../warehouse/ops/lease.ts';
import {
  beginRun,
  insertRun,
  type RunCounts,
  type RunEnding,
  type RunKind,
  updateRun,
} from '../../warehouse/ops/runs.ts';
import { saveShopFigures, saveSurvey } from '../../warehouse/reports/shop-figures.ts';
import type { Counters, RunContext } from './context.ts';

/**
 * Begins a run, and its row in `ops.runs`. A command that a person gives always has a row. A `sync`, of which there are thousands a day, gets one
 * as soon as it does something, or when it ends in another way than well. So does one that ends well after one that did
 * not: the last row says how the shop is doing.
 *
 * @throws LeaseLostError when another process took the lease
 */
export async function openRunRecord(db: Db, lease: Lease, kind: RunKind, version: string) {
  const { shopId } = lease;
  const { startedAt, lastSweep } = await beginRun(db, lease);
  const own = { kind, version, started_at: startedAt };
  let row: Promise<bigint | undefined> | undefined;
  const add = async () => {
    row ??= fenced(db, lease, (tx) => insertRun(tx, shopId, own)).catch((error: unknown) => {
      row = undefined;
      throw error;
    });
    await row;
  };
  if (kind !== 'sync') await add();
  /** Whether a run that ends like this has a row then: not if it ends well like the last one, and did nothing. */
  const isKept = ({ status }: RunEnding) => row !== undefined || status !== 'ok' || lastSweep !== 'ok';
  return {
    isKept,
    isAdded: () => row !== undefined,
    /** Adds the row, if it is not there yet: then a run that dies is seen to have begun. */
    add,
    update: async (counts: RunCounts) => {
      const runId = await row;
      if (runId !== undefined) await updateRun(db, runId, counts);
    },
    end: async (end: RunEnding) => {
      // The row may be about to be added: by work that goes on after another part of the run failed.
      const runId = await row?.catch(() => undefined);
      if (runId !== undefined) await updateRun(db, runId, end);
      else if (isKept(end)) await insertRun(db, shopId, own, end);
    },
  };
}

/** Of all routes but that of logging in. */
export function countRequests({ orders, content, user, groups }: RequestCounts = NO_REQUESTS): number {
  return orders + content + user + groups;
}

export const NO_REQUESTS: RequestCounts = { orders: 0, content: 0, user: 0, groups: 0, auth: 0, retries: 0 };

/** The figures of one run: a client may have served others before it. */
export function runCounts(now: RequestCounts, before: RequestCounts, counters: Counters): RunCounts {
  const { newRejections: _new, usersDone: _users, ordersRead: _read, ...rest } = counters;
  const { windowsProven: _proven, windowsUnproven: _unproven, daysAdded: _added, ...figures } = rest;
  return {
    ...figures,
    requests: countRequests(now) - countRequests(before),
    list_requests: now.orders - before.orders,
    content_requests: now.content - before.content,
    user_requests: now.user - before.user,
    retries: now.retries - before.retries,
  };
}

/** Only our own errors have messages that may be stored. */
export function toSentence(error: unknown): string {
  const kinds = [TerminalError, TransientError, LeaseLostError];
  if (!(error instanceof Error)) return 'unknown error';
  if (kinds.some((kind) => error instanceof kind)) return error.message;
  return isDatabaseError(error)
    ? `the database: ${databaseSentence(error)}`
    : `a bug in order-sync (${error.name})`;
}

const COUNT_EVERY_MS = 60_000;

/** Keeps what the status page shows of a shop: it watches many shops, and can count none. */
export function keepFigures(db: Db, lease: Lease, { logger, now }: Pick<RunContext, 'logger' | 'now'>) {
  let countedMs = performance.now();
  const { shopId } = lease;
  return {
    /** Counts what a long run has done so far, once a minute. */
    async keep() {
      if (performance.now() - countedMs < COUNT_EVERY_MS) return;
      await fenced(db, lease, (tx) => saveShopFigures(tx, shopId, now()));
      countedMs = performance.now();
    },
    /** Counts at the end of a run; once a day it also reads through all orders. */
    async finish() {
      try {
        await fenced(db, lease, async (tx) => {
          await saveShopFigures(tx, shopId, now());
          await saveSurvey(tx, shopId, now());
        });
      } catch (error) {
        // They are counted again by the next run that does something, and no order depends on them.
        logger.warn({ reason: databaseSentence(error) }, 'figures not counted');
      }
    },
  };
}
