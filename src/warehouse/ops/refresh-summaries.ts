import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

/** How many days and customers were recomputed. */
export type RefreshedSummaries = { readonly days: number; readonly customers: number };

/**
 * Counts anew, for all shops, the sums that writes since the last time made stale. The views of `bi` tell the same
 * before and after, but what is stale they count each time they are asked: call it after each sweep.
 *
 * It waits for no writer of orders, and none waits for it; it needs no lease.
 *
 * @returns undefined where another refresh, or an edit of what a sale is, was still under way after 5 seconds; then the
 *   next call does it
 */
export async function refreshSummaries(db: Db): Promise<RefreshedSummaries | undefined> {
  // Most sweeps change nothing, and then not even the lock is needed.
  const { rows } = await db.execute<{ days: number | null; customers: number | null }>(sql`
    SELECT days::int, customers::int FROM ops.refresh_summaries()
    WHERE EXISTS (SELECT FROM ops.stale_days) OR EXISTS (SELECT FROM ops.stale_customers)`);
  if (rows.length === 0) return { days: 0, customers: 0 };
  const { days = null, customers = null } = rows[0] ?? {};
  return days === null || customers === null ? undefined : { days, customers };
}
