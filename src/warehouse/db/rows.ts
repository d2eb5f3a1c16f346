import { type SQL, sql } from 'drizzle-orm';

import type { Db, Tx } from './database.ts';

/** What may be undefined in these fields, as a query that names its columns like them has it. */
export type RowOf<Fields> = { [Name in keyof Fields]: Stored<Fields[Name]> };
type Stored<Value> = Value extends undefined ? null : Value;

/** The row of a query that always returns one, such as one of counts. */
export async function oneRow<Row extends Record<string, unknown>>(db: Db | Tx, query: SQL): Promise<Row> {
  const { rows } = await db.execute(query);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as with every query, its columns are what the caller says
  const [row] = rows as Row[];
  if (row === undefined) throw new Error('the database returned no row');
  return row;
}

/** The database's clock is the same for all processes. */
export async function readDatabaseClock(db: Db | Tx): Promise<Temporal.Instant> {
  return (await oneRow<{ now: Temporal.Instant }>(db, sql`SELECT now() AS now`)).now;
}
