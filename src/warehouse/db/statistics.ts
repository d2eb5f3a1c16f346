import { sql } from 'drizzle-orm';

import type { Db } from './database.ts';

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
