import { eq, inArray, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import type { RowOf } from '../db/rows.ts';
import { runs } from '../schema/ops.ts';
import { fencedRow, type Lease } from './lease.ts';

export type StoredRun = typeof runs.$inferSelect;
export type RunKind = StoredRun['kind'];
type RunStatus = StoredRun['status'];

/** The counters of a run, named as the columns of `ops.runs`. */
export type RunCounts = Readonly<
  Omit<
    StoredRun,
    'run_id' | 'shop_id' | 'kind' | 'status' | 'started_at' | 'finished_at' | 'error' | 'version'
  >
>;

/** A run that may get a row later. */
export type BegunRun = {
  /** By the database's clock. */
  readonly startedAt: Temporal.Instant;
  /** How the last sweep that has a row ended, `running` if its process died; undefined if none has. */
  readonly lastSweep: RunStatus | undefined;
};

/**
 * Begins a run of a shop whose lease was just taken, without a row yet. Runs still open belong to dead processes, and
 * become abandoned.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function beginRun(db: Db, lease: Lease): Promise<BegunRun> {
  const begun = await fencedRow<RowOf<BegunRun>>(
    db,
    lease,
    sql`,
    abandoned AS (
      UPDATE ops.runs r SET status = 'abandoned', finished_at = clock_timestamp() FROM fence
      WHERE r.shop_id = fence.shop_id AND r.status = 'running'
    )
    SELECT clock_timestamp() AS "startedAt", (
      SELECT status FROM ops.runs
      WHERE shop_id = ${lease.shopId} AND kind IN ('sync', 'backfill') ORDER BY started_at DESC NULLS LAST LIMIT 1
    ) AS "lastSweep"
    FROM fence`,
  );
  return { ...begun, lastSweep: begun.lastSweep ?? undefined };
}

/** What a row says of a run from its first moment. */
export type NewRun = {
  readonly kind: RunKind;
  readonly version: string;
  readonly startedAt: Temporal.Instant;
};

/**
 * Adds the row of a run that goes on.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function insertRun(db: Db, lease: Lease, { kind, version, startedAt }: NewRun): Promise<bigint> {
  const added = sql`
    INSERT INTO ops.runs (shop_id, kind, status, version, started_at)
    SELECT shop_id, ${kind}, 'running', ${version}, ${startedAt.toString()}::timestamptz FROM fence RETURNING run_id`;
  return BigInt((await fencedRow<{ run_id: string }>(db, lease, added)).run_id);
}

/** Adds the row of a run that has ended. */
export async function insertEndedRun(
  db: Db,
  shopId: number,
  { kind, version, startedAt }: NewRun,
  end: RunEnding,
): Promise<void> {
  const own = { shop_id: shopId, kind, version, started_at: startedAt };
  await db.insert(runs).values({ ...own, ...endColumns(end) });
}

/** Saves the counters so far, so that a run that dies leaves them behind. */
export async function updateRun(db: Db, runId: bigint, counts: RunCounts): Promise<void> {
  await db.update(runs).set(counts).where(eq(runs.run_id, runId));
}

export type RunEnding = {
  readonly status: Exclude<RunStatus, 'running' | 'abandoned'>;
  readonly counts: RunCounts;
  readonly error: string | undefined;
};

export async function finishRun(db: Db, runId: bigint, end: RunEnding): Promise<void> {
  await db.update(runs).set(endColumns(end)).where(eq(runs.run_id, runId));
}

function endColumns({ status, counts, error }: RunEnding) {
  return { ...counts, status, error: error ?? null, finished_at: sql`clock_timestamp()` };
}

/** In the very order of the index, which is not used otherwise. */
const NEWEST_FIRST = sql`${runs.started_at} DESC NULLS LAST`;

/** The latest runs of every shop, or of one, newest first. @param limit runs of a shop */
export async function readLastRuns(db: Db | Tx, limit: number, shopId?: number) {
  if (shopId !== undefined) {
    return db.select().from(runs).where(eq(runs.shop_id, shopId)).orderBy(NEWEST_FIRST).limit(limit);
  }
  const latest = sql`(
    SELECT r.run_id FROM core.shops s CROSS JOIN LATERAL (
      SELECT run_id FROM ops.runs WHERE shop_id = s.shop_id ORDER BY started_at DESC NULLS LAST LIMIT ${limit}) r)`;
  return db.select().from(runs).where(inArray(runs.run_id, latest)).orderBy(NEWEST_FIRST);
}
