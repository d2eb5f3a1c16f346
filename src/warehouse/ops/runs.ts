import { eq, getTableColumns, inArray, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { runs } from '../schema/ops.ts';
import { isHeld, type Lease, leasedShop, leaseLost } from './lease.ts';

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

type BegunRun = {
  readonly runId: bigint;
  /** How the sweep before ended, `running` if its process died; undefined if there was none. */
  readonly lastSweep: RunStatus | undefined;
};

/**
 * Begins a run of a shop whose lease was just taken. Runs still open belong to dead processes, and become abandoned.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function beginRun(db: Db, lease: Lease, kind: RunKind, version: string): Promise<BegunRun> {
  const { shopId } = lease;
  // What a statement writes is not seen by what it reads.
  const { run_id, last_sweep } = await oneRow<{ run_id: string | null; last_sweep: RunStatus | null }>(
    db,
    sql`
    WITH leased AS (SELECT ${leasedShop(lease)} AS shop_id),
    abandoned AS (
      UPDATE ops.runs SET status = 'abandoned', finished_at = clock_timestamp()
      WHERE shop_id = (SELECT shop_id FROM leased) AND status = 'running'
    ),
    begun AS (
      INSERT INTO ops.runs (shop_id, kind, status, version, started_at)
      SELECT shop_id, ${kind}, 'running', ${version}, clock_timestamp() FROM leased WHERE shop_id IS NOT NULL
      RETURNING run_id
    )
    SELECT (SELECT run_id FROM begun) AS run_id, (
      SELECT status FROM ops.runs
      WHERE shop_id = ${shopId} AND kind IN ('sync', 'backfill') ORDER BY started_at DESC NULLS LAST LIMIT 1
    ) AS last_sweep`,
  );
  if (run_id === null) throw leaseLost(lease);
  return { runId: BigInt(run_id), lastSweep: last_sweep ?? undefined };
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

export async function finishRun(db: Db, runId: bigint, { status, counts, error }: RunEnding): Promise<void> {
  const end = { ...counts, status, error: error ?? null, finished_at: sql`clock_timestamp()` };
  await db.update(runs).set(end).where(eq(runs.run_id, runId));
}

/** Removes a run of which there is nothing to say. */
export async function dropRun(db: Db, runId: bigint): Promise<void> {
  await db.delete(runs).where(eq(runs.run_id, runId));
}

/** In the very order of the index, which is not used otherwise. */
const NEWEST_FIRST = sql`${runs.started_at} DESC NULLS LAST`;

/** A run without a valid lease has ended, even if its process died before it could record that. */
const IS_DEAD = sql`(${runs.status} = 'running' AND NOT coalesce(${isHeld(sql`lease.expires_at`)}, false))`;

const SHOWN = {
  ...getTableColumns(runs),
  status: sql<RunStatus>`CASE WHEN ${IS_DEAD} THEN 'abandoned' ELSE ${runs.status} END`,
  finished_at: sql<Temporal.Instant | null>`
    CASE WHEN ${IS_DEAD} THEN greatest(lease.expires_at, 'epoch') ELSE ${runs.finished_at} END`,
};

/**
 * The latest runs of every shop, or of one, newest first. Those of a process that died are abandoned, though no run has
 * closed them yet.
 *
 * @param limit runs of a shop
 */
export async function readLastRuns(
  db: Db | Tx,
  limit: number,
  shopId?: number,
): Promise<readonly StoredRun[]> {
  const shops = shopId === undefined ? sql`core.shops` : sql`(SELECT ${shopId}::int AS shop_id)`;
  const latest = sql`(
    SELECT r.run_id FROM ${shops} s CROSS JOIN LATERAL (
      SELECT run_id FROM ops.runs WHERE shop_id = s.shop_id ORDER BY started_at DESC NULLS LAST LIMIT ${limit}) r)`;
  return db
    .select(SHOWN)
    .from(runs)
    .leftJoin(sql`ops.leases AS lease`, sql`lease.shop_id = ${runs.shop_id}`)
    .where(inArray(runs.run_id, latest))
    .orderBy(NEWEST_FIRST);
}
