import { sql } from 'drizzle-orm';

import type { Db, Tx } from './database.ts';

/** What may be undefined in these fields, as a query that names its columns like them has it. */
export type RowOf<Fields> = { [Name in keyof Fields]: Stored<Fields[Name]> };
type Stored<Value> = Value extends undefined ? null : Value;

/** The database's clock is the same for all processes. */
export async function readDatabaseClock(db: Db | Tx): Promise<Temporal.Instant> {
  const { rows } = await db.execute<{ now: Temporal.Instant }>(sql`SELECT now() AS now`);
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  return row.now;
}
