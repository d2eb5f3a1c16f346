import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';

/** How many days and customers were recomputed. */
export type RefreshedSummaries = { readonly days: number; readonly customers: number };

/**
 * Recomputes the summaries that writes made stale, for all shops. The views of `bi` are right without it, but compute
 * what is stale at each query: call it after each sweep. It neither blocks writers of orders nor waits for them, and
 * needs no lease.
 *
 * @returns undefined where another refresh, or an edit of what a sale is, was still running after 5 seconds; the next
 *   call catches up
 */
export async function refreshSummaries(db: Db): Promise<RefreshedSummaries | undefined> {
  // Most sweeps change nothing: then not even the lock is needed.
  const { rows } = await db.execute<{ days: number | null; customers: number | null }>(sql`
    SELECT days::int, customers::int FROM ops.refresh_summaries()
    WHERE EXISTS (SELECT FROM ops.stale_days) OR EXISTS (SELECT FROM ops.stale_customers)`);
  if (rows.length === 0) return { days: 0, customers: 0 };
  const { days = null, customers = null } = rows[0] ?? {};
  return days === null || customers === null ? undefined : { days, customers };
}
