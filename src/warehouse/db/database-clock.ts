import { sql } from 'drizzle-orm';

import type { Db } from './database.ts';
import { parseInstant } from './instant.ts';

/** The database's clock is the same for all processes. */
export async function readDatabaseClock(db: Db): Promise<Temporal.Instant> {
  const { rows } = await db.execute<{ now: string }>(sql`SELECT now() AS now`);
  return parseInstant(rows[0]?.now ?? '');
}
