import { sql } from 'drizzle-orm';

import type { Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';

/**
 * Begins the changes of a shop's orders in a transaction, before any of its rows is locked: triggers mark the orders that change with
 * this time, and transactions that do so commit in the order of their times.
 */
export async function stampChanges(tx: Tx, shopId: number): Promise<Temporal.Instant> {
  const time = sql`SELECT ops.change_time(${shopId}::int) AS at`;
  return (await oneRow<{ at: Temporal.Instant }>(tx, time)).at;
}

/** What this transaction takes out of orders must not remain as what was there before. The nodes of a Citus are told, too. */
export async function keepNoVersions(tx: Tx): Promise<void> {
  await tx.execute(
    sql`SET LOCAL citus.propagate_set_commands = 'local'; SET LOCAL order_sync.versions = 'none'`,
  );
}
