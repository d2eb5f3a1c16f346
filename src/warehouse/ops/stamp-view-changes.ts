import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { stampChanges } from './change-stamp.ts';

/** Orders of a transaction: syncs of the shop wait for no longer than it takes. */
const BATCH = 5_000;

/**
 * Moves `changed_at` of the orders that show something which changed outside of them, such as the stage of their status. Triggers note
 * such changes in `ops.view_changes`; each batch takes what it moves out of there, so a call that was cut short is continued by the next.
 */
export async function stampViewChanges(db: Db): Promise<void> {
  const { rows } = await db.execute<{ shop_id: number }>(sql`SELECT DISTINCT shop_id FROM ops.view_changes`);
  for (const { shop_id: shopId } of rows) {
    await db.execute(sql`SELECT ops.spread_view_changes(${shopId})`);
    while ((await stampBatch(db, shopId)) === BATCH);
  }
}

/** @returns how many notes were taken */
async function stampBatch(db: Db, shopId: number): Promise<number> {
  return db.transaction(async (tx) => {
    const changedAt = await stampChanges(tx, shopId);
    // No report shows an order otherwise because its `changed_at` moves.
    await tx.execute(
      sql`SELECT set_config('order_sync.marks', 'made', true), set_config('order_sync.versions', 'none', true)`,
    );
    const { rowCount } = await tx.execute(sql`
      WITH next AS (
        DELETE FROM ops.view_changes
        WHERE shop_id = ${shopId} AND kind = 'order' AND ctid = ANY (ARRAY(
          SELECT ctid FROM ops.view_changes WHERE shop_id = ${shopId} AND kind = 'order' LIMIT ${BATCH}))
        RETURNING key::bigint AS order_id
      ), stamped AS (
        UPDATE core.orders SET row_changed_at = ${changedAt}
        WHERE shop_id = ${shopId} AND order_id IN (SELECT order_id FROM next)
      )
      SELECT order_id FROM next`);
    return rowCount ?? 0;
  });
}
