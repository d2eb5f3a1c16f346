import { desc, eq, sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { runs } from '../schema/ops.ts';
import { fence, type Lease, leaseLost } from './lease.ts';

export type RunKind = 'sync' | 'backfill' | 'verify' | 'replay' | 'forget';
export type RunStatus = 'running' | 'ok' | 'partial' | 'failed' | 'interrupted' | 'abandoned';

/** The counters of a run, named as the columns of `ops.runs`. */
export type RunCounts = {
  readonly requests: number;
  readonly list_requests: number;
  readonly content_requests: number;
  readonly user_requests: number;
  readonly retries: number;
  readonly days_verified: number;
  readonly orders_seen: number;
  readonly orders_new: number;
  readonly orders_changed: number;
  readonly orders_missing: number;
  readonly rejections: number;
};

/**
 * Starts a run of a shop whose lease was just taken. Runs still open belong to dead processes, and become abandoned.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function startRun(db: Db, lease: Lease, kind: RunKind, version: string): Promise<bigint> {
  const { rows } = await db.execute<{ run_id: string }>(sql`
    WITH fence AS (${fence(lease)}),
    abandoned AS (
      UPDATE ops.runs r SET status = 'abandoned', finished_at = ${new Date().toISOString()} FROM fence
      WHERE r.shop_id = fence.shop_id AND r.status = 'running'
    )
    INSERT INTO ops.runs (shop_id, kind, status, version)
    SELECT shop_id, ${kind}, 'running', ${version} FROM fence RETURNING run_id`);
  const [run] = rows;
  if (run === undefined) throw leaseLost(lease);
  return BigInt(run.run_id);
}

/** Saves the counters so far, so that a run that dies leaves them behind. */
export async function updateRun(db: Db, runId: bigint, counts: RunCounts): Promise<void> {
  await db.update(runs).set(counts).where(eq(runs.run_id, runId));
}

export async function finishRun(
  db: Db,
  runId: bigint,
  status: Exclude<RunStatus, 'running' | 'abandoned'>,
  counts: RunCounts,
  error: string | undefined,
): Promise<void> {
  const end = { status, error: error ?? null, finished_at: new Date().toISOString() };
  await db
    .update(runs)
    .set({ ...counts, ...end })
    .where(eq(runs.run_id, runId));
}

export type StoredRun = typeof runs.$inferSelect;

/** The latest runs of a shop, newest first. */
export async function readLastRuns(db: Db, shopId: number, limit: number): Promise<readonly StoredRun[]> {
  return db.select().from(runs).where(eq(runs.shop_id, shopId)).orderBy(desc(runs.started_at)).limit(limit);
}
