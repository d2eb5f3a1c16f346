import { type SQL, sql } from 'drizzle-orm';

import { TransientError } from '../../model/errors.ts';
import type { Db, Tx } from './database.ts';
import { codeOf } from './database-error.ts';

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

const QUERY_CANCELED = '57014';

/**
 * Reads in a transaction of its own. The server cancels a statement that takes longer, so that nobody who asks again and again
 * piles up queries.
 *
 * @throws TransientError when it did
 */
export async function readWithin<Result>(db: Db, timeoutMs: number, read: (tx: Tx) => Promise<Result>) {
  try {
    return await db.transaction(async (tx) => {
      await tx.execute(sql`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`);
      return read(tx);
    });
  } catch (error) {
    if (codeOf(error) !== QUERY_CANCELED) throw error;
    const cause = error;
    throw new TransientError(`the database did not answer within ${timeoutMs / 1000} s`, { cause });
  }
}
