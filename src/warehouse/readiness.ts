import { sql } from 'drizzle-orm';

import type { Db } from './database.ts';
import { databaseSentence } from './database-error.ts';
import { countMigrations } from './migrate.ts';

/** @returns a sentence when the warehouse cannot be used now, and why */
export async function unreadiness(db: Db): Promise<string | undefined> {
  try {
    const { rows } = await db.execute<{ applied: number }>(
      sql`SELECT count(*)::int AS applied FROM drizzle.__drizzle_migrations`,
    );
    const lacking = countMigrations() - (rows[0]?.applied ?? 0);
    return lacking > 0 ? `${lacking} migrations are not applied; run order-sync migrate` : undefined;
  } catch (error) {
    return `the database: ${databaseSentence(error)}`;
  }
}
