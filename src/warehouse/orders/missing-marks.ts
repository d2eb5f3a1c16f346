import { type SQL, sql } from 'drizzle-orm';

import type { Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';

/** Marks orders that a proven walk did not return. An existing mark keeps its time. */
export async function markMissing(tx: Tx, shopId: number, ids: readonly string[], since: Temporal.Instant) {
  await markOrders(tx, shopId, ids, sql`missing_since = ${since.toString()}`, sql`missing_since IS NULL`);
}

/** Marks missing orders as deleted. The mark is removed if the order is seen again. */
export async function markDeleted(tx: Tx, shopId: number, ids: readonly string[], at: Temporal.Instant) {
  const isMarkable = sql`missing_since IS NOT NULL AND deleted_at IS NULL`;
  await markOrders(tx, shopId, ids, sql`deleted_at = ${at.toString()}`, isMarkable);
}

/** Removes the marks of orders that were seen again. */
export async function clearMissing(tx: Tx, shopId: number, ids: readonly string[]): Promise<void> {
  const isMarked = sql`(missing_since IS NOT NULL OR deleted_at IS NOT NULL)`;
  await markOrders(tx, shopId, ids, sql`missing_since = NULL, deleted_at = NULL`, isMarked);
}

async function markOrders(tx: Tx, shopId: number, ids: readonly string[], marks: SQL, condition: SQL) {
  if (ids.length === 0) return;
  await tx.execute(sql`
    UPDATE core.orders SET ${marks} WHERE shop_id = ${shopId} AND ${condition} AND order_id IN ${valuesIn(ids)}`);
}
