import { sql } from 'drizzle-orm';

import type { Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';

/** Numbers apart from other advisory locks; the second key is the shop. */
const LOCK_SPACE = 728_301;

/**
 * The time with which a transaction marks the orders that it changes, in `core.orders.row_changed_at`. Whoever has read all
 * rows of a shop up to one such time misses nothing by asking for later ones: the lock makes transactions that change a
 * shop's orders commit in the order of their times.
 */
export async function stampChanges(tx: Tx, shopId: number): Promise<string> {
  const { rows } = await tx.execute<{ at: string }>(sql`
    WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${shopId}))
    SELECT clock_timestamp()::text AS at FROM locked`);
  const [row] = rows;
  if (row === undefined) throw new Error('the database told no time');
  return row.at;
}

/** Marks orders of which something outside of their own row changed, unless their row was just marked. */
export async function markChanged(tx: Tx, shopId: number, orderIds: Iterable<string>, changedAt: string) {
  const ids = [...new Set(orderIds)];
  if (ids.length === 0) return;
  await tx.execute(sql`
    UPDATE core.orders SET row_changed_at = ${changedAt}
    WHERE shop_id = ${shopId} AND row_changed_at < ${changedAt}::timestamptz AND order_id IN ${valuesIn(ids)}`);
}
