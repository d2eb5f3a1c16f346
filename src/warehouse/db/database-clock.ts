import { sql } from 'drizzle-orm';

import type { Db } from './database.ts';
import { parseInstant } from './instant.ts';

/** What the database's clock shows: one clock for all processes, and none of them sets it. */
export async function readDatabaseClock(db: Db): Promise<Temporal.Instant> {
  const { rows } = await db.execute<{ now: string }>(sql`SELECT now() AS now`);
  return parseInstant(rows[0]?.now ?? '');
}
