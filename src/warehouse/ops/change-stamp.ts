import { sql } from 'drizzle-orm';

import type { Tx } from '../db/database.ts';

/**
 * Begins the changes of a shop's orders in a transaction, before any of its rows is locked: triggers mark the orders that change with
 * this time, and transactions that do so commit in the order of their times.
 */
export async function stampChanges(tx: Tx, shopId: number): Promise<Temporal.Instant> {
  const { rows } = await tx.execute<{ at: Temporal.Instant }>(
    sql`SELECT ops.change_time(${shopId}::int) AS at`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  return row.at;
}
