import { sql } from 'drizzle-orm';

import type { Tx } from '../db/database.ts';
import { valuesIn } from '../db/upsert.ts';
import { countMoves } from '../ops/ledger.ts';
import { stampChanges } from '../ops/change-stamp.ts';

/** The shop's day of an order that was marked. */
type Day = { readonly day: string | null };

/** Marks orders that a proven walk did not return. An existing mark keeps its time. */
export async function markMissing(
  tx: Tx,
  shopId: number,
  ids: readonly string[],
  since: Temporal.Instant,
): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await tx.execute<Day>(sql`
    UPDATE core.orders SET missing_since = ${since.toString()}, row_changed_at = ${await stampChanges(tx, shopId)}
    WHERE shop_id = ${shopId} AND missing_since IS NULL
      AND order_id IN ${valuesIn(ids)} RETURNING created_on AS day`);
  await countMoves(
    tx,
    shopId,
    rows.flatMap(({ day }) => day ?? []),
  );
}

/** Marks missing orders as deleted. The mark is removed if the order is seen again. */
export async function markDeleted(
  tx: Tx,
  shopId: number,
  ids: readonly string[],
  at: Temporal.Instant,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    UPDATE core.orders SET deleted_at = ${at.toString()}, row_changed_at = ${await stampChanges(tx, shopId)}
    WHERE shop_id = ${shopId} AND missing_since IS NOT NULL AND deleted_at IS NULL
      AND order_id IN ${valuesIn(ids)}`);
}

/** Removes the marks of orders that were seen again. */
export async function clearMissing(tx: Tx, shopId: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await tx.execute<Day>(sql`
    UPDATE core.orders SET missing_since = NULL, deleted_at = NULL, row_changed_at = ${await stampChanges(tx, shopId)}
    WHERE shop_id = ${shopId} AND (missing_since IS NOT NULL OR deleted_at IS NOT NULL)
      AND order_id IN ${valuesIn(ids)} RETURNING created_on AS day`);
  await countMoves(
    tx,
    shopId,
    rows.flatMap(({ day }) => day ?? []),
  );
}
