import { sql } from 'drizzle-orm';

import type { Db } from './database.ts';

/** A table that grew by this factor since it was analyzed is planned for as if it were another one. */
const GROWTH = 4;

/**
 * Analyzes the tables that were never analyzed or that have grown several times over since. Autovacuum comes too late
 * for a first load: plans made for empty tables, those of foreign key checks among them, are kept until a table is
 * analyzed, and cost more with every row.
 *
 * A role that may not analyze a table leaves it to autovacuum: PostgreSQL skips it with a warning.
 *
 * @returns the tables that were analyzed, as `schema.name`
 */
export async function analyzeGrownTables(db: Db): Promise<readonly string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    SELECT oid::regclass::text AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace IN ('core'::regnamespace, 'ops'::regnamespace)
      AND CASE WHEN reltuples < 0 THEN pg_relation_size(oid) > 0
        ELSE pg_relation_size(oid) >= ${GROWTH} * greatest(relpages, 1)::bigint * current_setting('block_size')::int END
    ORDER BY oid`);
  const names = rows.map(({ name }) => name);
  // What another process analyzes at this moment need not be done again.
  if (names.length > 0) await db.execute(sql.raw(`ANALYZE (SKIP_LOCKED) ${names.join(', ')}`));
  return names;
}
