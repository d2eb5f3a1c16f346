import { eq, inArray, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { runs } from '../schema/ops.ts';
import { type Lease, leasedShop, leaseLost } from './lease.ts';

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

/**
 * When a run of a shop begins whose lease was just taken, by the database's clock, and how its last sweep that has a row ended,
 * `running` if its process died; undefined if none has. Runs still open belong to dead processes, and become abandoned.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function beginRun(db: Db, lease: Lease) {
  const shop = leasedShop(lease);
  const { startedAt, ...begun } = await oneRow<{
    startedAt: Temporal.Instant;
    lastSweep: RunStatus | null;
    isLeased: boolean;
  }>(
    db,
    sql`
    WITH abandoned AS (
      UPDATE ops.runs SET status = 'abandoned', finished_at = clock_timestamp() WHERE shop_id = ${shop} AND status = 'running'
    )
    SELECT ${shop} IS NOT NULL AS "isLeased", clock_timestamp() AS "startedAt", (
      SELECT status FROM ops.runs
      WHERE shop_id = ${lease.shopId} AND kind IN ('sync', 'backfill') ORDER BY started_at DESC NULLS LAST LIMIT 1
    ) AS "lastSweep"`,
  );
  if (!begun.isLeased) throw leaseLost(lease);
  return { startedAt, lastSweep: begun.lastSweep ?? undefined };
}

/** What a row says of a run from its first moment. */
export type NewRun = Pick<StoredRun, 'kind' | 'version' | 'started_at'>;

export type RunEnding = {
  readonly status: Exclude<RunStatus, 'running' | 'abandoned'>;
  readonly counts: RunCounts;
  readonly error: string | undefined;
};

/** Adds the row of a run that goes on, or has ended. */
export async function insertRun(
  db: Db | Tx,
  shopId: number,
  run: NewRun,
  end?: RunEnding,
): Promise<bigint | undefined> {
  const row = { shop_id: shopId, ...run, ...(end ? endColumns(end) : { status: 'running' as const }) };
  const [added] = await db.insert(runs).values(row).returning({ runId: runs.run_id });
  return added?.runId;
}

/** Saves the counters so far, so that a run that dies leaves them behind, or those of its end. */
export async function updateRun(db: Db, runId: bigint, saved: RunCounts | RunEnding): Promise<void> {
  const columns = 'counts' in saved ? endColumns(saved) : saved;
  await db.update(runs).set(columns).where(eq(runs.run_id, runId));
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
