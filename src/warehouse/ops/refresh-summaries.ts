import { sql } from 'drizzle-orm';

import { databaseSentence } from '../db/database-error.ts';
import type { Db, Tx } from '../db/database.ts';
import { analyzeGrownTables } from '../db/statistics.ts';
import { stampViewChanges } from './stamp-view-changes.ts';

/** How many days and customers were recomputed. */
export type RefreshedSummaries = { readonly days: number; readonly customers: number };

/** After a refresh of so many, the dead rows of the marks slow down every query until autovacuum comes. */
const MANY_MARKS = 1_000;
const REFRESH_MS = 60_000;

type Logger = { warn(data: { readonly reason: string }, message: string): void };

/**
 * Recomputes the views' sums that writes made stale: regularly until disposed, and once more at the end unless the
 * process is stopping. The views are exact without it, only slower, so a failure ends nothing.
 */
export function keepSummaries(db: Db, logger: Logger, stopping: AbortSignal): AsyncDisposable {
  let refreshing: Promise<void> | undefined;
  const refresh = () => {
    refreshing ??= maintainSummaries(db)
      .catch((error: unknown) => logger.warn({ reason: databaseSentence(error) }, 'summaries not refreshed'))
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };
  const timer = setInterval(() => void refresh(), REFRESH_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      if (stopping.aborted) return;
      await refreshing;
      await refresh();
    },
  };
}

/**
 * Moves `changed_at` of orders that show what changed outside of them, refreshes the summaries and keeps them fast to read. Statistics come first, so that the refresh gets good plans, and
 * again after it, so that queries do; the views look for marks many times, so a refresh of many leaves none behind.
 */
export async function maintainSummaries(db: Db): Promise<void> {
  await analyzeGrownTables(db);
  await stampViewChanges(db);
  const { days = 0, customers = 0 } = (await refreshSummaries(db)) ?? {};
  if (days + customers === 0) return;
  await analyzeGrownTables(db);
  if (days + customers < MANY_MARKS) return;
  // PostgreSQL skips with a warning what this role may not vacuum.
  await db.execute(sql`VACUUM (ANALYZE, SKIP_LOCKED) ops.stale_days, ops.stale_customers`);
}

/**
 * Recomputes the summaries that writes made stale, for all shops. The views of `bi` are right without it, but compute
 * what is stale at each query: call it after each sweep. It neither blocks writers of orders nor waits for them, and
 * needs no lease.
 *
 * @returns undefined where another refresh, or an edit of what a sale is, was still running after 5 seconds; the next
 *   call catches up
 */
export async function refreshSummaries(db: Db | Tx): Promise<RefreshedSummaries | undefined> {
  // Most sweeps change nothing: then not even the lock is needed.
  const { rows } = await db.execute<{ days: number | null; customers: number | null }>(sql`
    SELECT days::int, customers::int FROM ops.refresh_summaries()
    WHERE EXISTS (SELECT 1 FROM ops.stale_days) OR EXISTS (SELECT 1 FROM ops.stale_customers)`);
  if (rows.length === 0) return { days: 0, customers: 0 };
  const { days = null, customers = null } = rows[0] ?? {};
  return days === null || customers === null ? undefined : { days, customers };
}
