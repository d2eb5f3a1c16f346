import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { fence, type Lease, leaseLost } from './lease.ts';

/** What only a sweep can find: everything else that alerts are raised from is in other tables. */
export type FindingCause = 'credentials' | 'deletions' | 'clock' | 'drift' | 'crashes';

/**
 * Records what a sweep looked at: a sentence where something is wrong, undefined where nothing is. Other causes, and
 * what did not change, are not written.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function saveFindings(
  db: Db,
  lease: Lease,
  found: ReadonlyMap<FindingCause, string | undefined>,
): Promise<void> {
  if (found.size === 0) return;
  const given = [...found].map(([cause, detail]) => ({ cause, detail: detail ?? null }));
  const { rows } = await db.execute(sql`
    WITH fence AS (${fence(lease)}),
    given AS (SELECT * FROM json_to_recordset(${JSON.stringify(given)}::json) AS g (cause text, detail text)),
    removed AS (
      DELETE FROM ops.findings f USING fence, given g
      WHERE f.shop_id = fence.shop_id AND f.cause = g.cause AND g.detail IS NULL
    ),
    added AS (
      INSERT INTO ops.findings AS f (shop_id, cause, detail)
      SELECT fence.shop_id, cause, detail FROM fence CROSS JOIN given WHERE detail IS NOT NULL
      ON CONFLICT (shop_id, cause) DO UPDATE SET detail = excluded.detail WHERE f.detail <> excluded.detail
    )
    SELECT FROM fence`);
  if (rows.length === 0) throw leaseLost(lease);
}

/** Records that sweeps of the shop were begun and not finished; the next sweep that ends removes it. */
export async function recordCrashes(db: Db, shopKey: string, detail: string): Promise<void> {
  await db.execute(sql`
    INSERT INTO ops.findings (shop_id, cause, detail)
    SELECT shop_id, 'crashes', ${detail} FROM core.shops WHERE shop_key = ${shopKey}
    ON CONFLICT (shop_id, cause) DO NOTHING`);
}
