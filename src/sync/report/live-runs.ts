import type { Db, Tx } from '../../warehouse/db/database.ts';
import { type LeaseHolder, readLeaseHolders } from '../../warehouse/ops/lease.ts';
import { readLastRuns, type StoredRun } from '../../warehouse/ops/runs.ts';
import { isDeadOwner } from '../run/shop-lease.ts';

/**
 * The latest runs of every shop, or of one, newest first. Those of a process that died are abandoned, though no run has
 * closed them yet.
 */
export async function readLiveRuns(
  db: Db | Tx,
  limit: number,
  now: Temporal.Instant,
  shopId?: number,
): Promise<readonly StoredRun[]> {
  const runs = await readLastRuns(db, limit, shopId);
  const open = new Set(runs.flatMap(({ status, shop_id }) => (status === 'running' ? [shop_id] : [])));
  const holders = await readLeaseHolders(db, [...open]);
  return runs.map((run) => (run.status === 'running' ? settleRun(run, holders.get(run.shop_id), now) : run));
}

/** A run goes on for as long as its lease is held: that it ended is known from when the lease did. */
function settleRun(run: StoredRun, lease: LeaseHolder | undefined, now: Temporal.Instant): StoredRun {
  if (lease === undefined) return { ...run, status: 'abandoned' };
  if (lease.isExpired) return { ...run, status: 'abandoned', finished_at: lease.expiresAt };
  return isDeadOwner(lease.holder) ? { ...run, status: 'abandoned', finished_at: now } : run;
}
