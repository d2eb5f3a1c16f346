import { type SQL, sql } from 'drizzle-orm';

import type { Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';
import { countMoves } from '../ops/ledger.ts';

/** Marks orders that a proven walk did not return. An existing mark keeps its time. */
export async function markMissing(tx: Tx, shopId: number, ids: readonly string[], since: Temporal.Instant) {
  const mark = sql`missing_since = ${since.toString()}`;
  const days = await markOrders(tx, shopId, ids, mark, sql`missing_since IS NULL`);
  await countMoves(tx, shopId, days);
}

/** Marks missing orders as deleted. The mark is removed if the order is seen again. */
export async function markDeleted(tx: Tx, shopId: number, ids: readonly string[], at: Temporal.Instant) {
  const isMarkable = sql`missing_since IS NOT NULL AND deleted_at IS NULL`;
  await markOrders(tx, shopId, ids, sql`deleted_at = ${at.toString()}`, isMarkable);
}

/** Removes the marks of orders that were seen again. */
export async function clearMissing(tx: Tx, shopId: number, ids: readonly string[]): Promise<void> {
  const isMarked = sql`(missing_since IS NOT NULL OR deleted_at IS NOT NULL)`;
  const days = await markOrders(tx, shopId, ids, sql`missing_since = NULL, deleted_at = NULL`, isMarked);
  await countMoves(tx, shopId, days);
}

/** @returns the shop's days of the orders that were changed */
async function markOrders(tx: Tx, shopId: number, ids: readonly string[], marks: SQL, condition: SQL) {
  if (ids.length === 0) return [];
  const { rows } = await tx.execute<{ day: string | null }>(sql`
    UPDATE core.orders SET ${marks}
    WHERE shop_id = ${shopId} AND ${condition} AND order_id IN ${valuesIn(ids)} RETURNING created_on AS day`);
  return rows.flatMap(({ day }) => day ?? []);
}
