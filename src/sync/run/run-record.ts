import { LeaseLostError, TerminalError, TransientError } from '../../model/errors.ts';
import type { RequestCounts } from '../../shop-api/shop-api.ts';
import { databaseSentence, isDatabaseError } from '../../warehouse/db/database-error.ts';
import { fenced, type Lease } from '../../warehouse/ops/lease.ts';
import {
  beginRun,
  dropRun,
  finishRun,
  type RunCounts,
  type RunEnding,
  type RunKind,
  updateRun,
} from '../../warehouse/ops/runs.ts';
import { saveShopFigures, saveSurvey } from '../../warehouse/reports/shop-figures.ts';
import type { Counters, RunContext } from './context.ts';

/** Figures are counted this often during a run. */
const COUNT_EVERY_MS = 60_000;

/**
 * Begins a run, and its row in `ops.runs`. That of a `sync`, of which there are thousands a day, goes again where it ended well like
 * the sweep before, and changed nothing: so the last row says how the shop is doing. A run that changes something also counts what the
 * status page shows of the shop, which watches many shops, and can count none.
 *
 * @param counts the figures of the run so far
 * @throws LeaseLostError when another process took the lease
 */
export async function openRunRecord(
  { db, logger, now, version }: Pick<RunContext, 'db' | 'logger' | 'now' | 'version'>,
  lease: Lease,
  kind: RunKind,
  counters: Pick<Counters, 'hasWritten'>,
  counts: () => RunCounts,
) {
  const { runId, lastSweep } = await beginRun(db, lease, kind, version);
  let countedMs = performance.now();
  const { shopId } = lease;
  const countShop = async () => {
    await fenced(db, lease, (tx) => saveShopFigures(tx, shopId, now()));
    countedMs = performance.now();
  };
  return {
    /** Saves what was done so far. */
    async save() {
      await updateRun(db, runId, counts());
      if (counters.hasWritten && performance.now() - countedMs >= COUNT_EVERY_MS) await countShop();
    },
    /** Once a day all orders are read through, too. */
    async end(status: RunEnding['status'], error: string | undefined) {
      const { hasWritten } = counters;
      if (kind === 'sync' && status === 'ok' && lastSweep === 'ok' && !hasWritten) {
        await dropRun(db, runId);
        return;
      }
      if (status !== 'interrupted' && (status !== 'failed' || hasWritten)) {
        try {
          await countShop();
          await fenced(db, lease, (tx) => saveSurvey(tx, shopId, now()));
        } catch (failure) {
          // They are counted again by the next run that does something, and no order depends on them.
          const reason = `the database: ${databaseSentence(failure)}`;
          if (!(failure instanceof LeaseLostError)) logger.warn({ reason }, 'figures not counted');
        }
      }
      await finishRun(db, runId, { status, counts: counts(), error });
    },
  };
}

/** Of all routes but that of logging in. */
export function countRequests({ orders, content, user, groups }: RequestCounts): number {
  return orders + content + user + groups;
}

export const NO_REQUESTS: RequestCounts = { orders: 0, content: 0, user: 0, groups: 0, auth: 0, retries: 0 };

/** The figures of one run: a client may have served others before it. */
export function runCounts(now: RequestCounts, before: RequestCounts, counters: Counters): RunCounts {
  const { newRejections: _new, usersDone: _users, ordersRead: _read, ...rest } = counters;
  const { windowsProven: _proven, windowsUnproven: _unproven, daysAdded: _added, ...counted } = rest;
  const { hasWritten: _written, ordersDeleted: _deleted, ...figures } = counted;
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
