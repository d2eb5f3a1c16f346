import { sql } from 'drizzle-orm';

import { databaseSentence } from '../db/database-error.ts';
import type { Db, Tx } from '../db/database.ts';
import { stampChanges } from './change-stamp.ts';

/** After a refresh of so many, the dead rows of the marks slow down every query until autovacuum comes. */
const MANY_MARKS = 1_000;
const REFRESH_MS = 60_000;

type Logger = { warn(data: { readonly reason: string }, message: string): void };

/**
 * Recomputes the views' sums that writes made stale: regularly until disposed, and once more at the end unless the
 * process is stopping. The views are exact without it, only slower, so a failure ends nothing.
 *
 * @param everyMs of a single run less, so that little is left to do when its last answer has come
 */
export function keepSummaries(
  db: Db,
  logger: Logger,
  stopping: AbortSignal,
  everyMs = REFRESH_MS,
): AsyncDisposable {
  let refreshing: Promise<void> | undefined;
  const refresh = () => {
    refreshing ??= maintainSummaries(db)
      .catch((error: unknown) =>
        logger.warn({ reason: `the database: ${databaseSentence(error)}` }, 'summaries not refreshed'),
      )
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };
  const timer = setInterval(() => void refresh(), everyMs);
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
 * Moves `changed_at` of orders that show what changed outside of them, refreshes the summaries and keeps them fast to read.
 * Statistics come first, so that the refresh gets good plans, and again after it, so that queries do; the views look for marks
 * many times, so a refresh of many leaves none behind.
 */
export async function maintainSummaries(db: Db): Promise<void> {
  await analyzeGrownTables(db);
  await stampViewChanges(db);
  const marks = (await refreshSummaries(db)) ?? 0;
  if (marks === 0) return;
  await analyzeGrownTables(db);
  if (marks < MANY_MARKS) return;
  // PostgreSQL skips with a warning what this role may not vacuum.
  await db.execute(sql`VACUUM (ANALYZE, SKIP_LOCKED) ops.stale_sums`);
}

/**
 * Recomputes the summaries that writes made stale, for all shops. The views of `bi` are right without it, but then each query computes
 * the stale parts again: call it after each sweep. It neither blocks writers of orders nor waits for them, and needs no lease.
 *
 * @returns how many marks were removed; undefined if another refresh, or a change of which statuses are sales, was still running
 *   after 5 seconds: the next call catches up
 */
export async function refreshSummaries(db: Db | Tx): Promise<number | undefined> {
  // Most sweeps change nothing: then not even the lock is needed.
  const { rows } = await db.execute<{ marks: number | null }>(sql`
    SELECT ops.refresh_summaries()::int AS marks WHERE EXISTS (SELECT 1 FROM ops.stale_sums)`);
  const [row] = rows;
  return row === undefined ? 0 : (row.marks ?? undefined);
}

/** Orders of a transaction: syncs of the shop wait for no longer than it takes. */
const BATCH = 5_000;

/**
 * Moves `changed_at` of the orders that show something which changed outside of them, such as the stage of their status. Triggers note
 * such changes in `ops.view_changes`; each batch takes what it moves out of there, so a call that was cut short is continued by the next.
 */
export async function stampViewChanges(db: Db): Promise<void> {
  const { rows } = await db.execute<{ shop_id: number }>(sql`SELECT DISTINCT shop_id FROM ops.view_changes`);
  for (const { shop_id: shopId } of rows) {
    await db.execute(sql`SELECT ops.spread_view_changes(${shopId})`);
    while ((await stampBatch(db, shopId)) === BATCH);
  }
}

/** @returns how many notes were taken */
async function stampBatch(db: Db, shopId: number): Promise<number> {
  return db.transaction(async (tx) => {
    const changedAt = await stampChanges(tx, shopId);
    const { rowCount } = await tx.execute(sql`
      WITH next AS (
        DELETE FROM ops.view_changes
        WHERE shop_id = ${shopId} AND kind = 'order' AND ctid = ANY (ARRAY(
          SELECT ctid FROM ops.view_changes WHERE shop_id = ${shopId} AND kind = 'order' LIMIT ${BATCH}))
        RETURNING key::bigint AS order_id
      ), stamped AS (
        UPDATE core.orders SET changed_at = ${changedAt}
        WHERE shop_id = ${shopId} AND order_id IN (SELECT order_id FROM next)
      )
      SELECT order_id FROM next`);
    return rowCount ?? 0;
  });
}

/** A table that grew by this factor since it was analyzed gets bad plans. */
const GROWTH = 4;

/**
 * Analyzes tables that were never analyzed or that have grown several times since. Autovacuum comes too late for a first
 * load: cached plans for empty tables, foreign key checks included, get slower with every row. PostgreSQL skips tables
 * that this role may not analyze with a warning.
 *
 * @returns the analyzed tables, as `schema.name`
 */
export async function analyzeGrownTables(db: Db): Promise<readonly string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    SELECT oid::regclass::text AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace IN ('core'::regnamespace, 'ops'::regnamespace)
      AND CASE WHEN reltuples < 0 THEN pg_relation_size(oid) > 0
        ELSE pg_relation_size(oid) >= ${GROWTH} * greatest(relpages, 1)::bigint * current_setting('block_size')::int END
    ORDER BY oid`);
  const names = rows.map(({ name }) => name);
  // Skips what another process is analyzing.
  if (names.length > 0) await db.execute(sql.raw(`ANALYZE (SKIP_LOCKED) ${names.join(', ')}`));
  return names;
}
