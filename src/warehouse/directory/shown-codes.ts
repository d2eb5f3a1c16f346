/** Status codes of the shop's own: somebody may have typed a person there. */
import { type SQL, sql } from 'drizzle-orm';

import { HIDDEN_CODE } from '../../shown-code.ts';
import type { Db, Tx } from '../db/database.ts';

const CODE_TABLES: readonly { readonly table: SQL; readonly column: SQL }[] = [
  { table: sql`core.order_statuses`, column: sql`status_code` },
  { table: sql`core.payment_statuses`, column: sql`pay_status_code` },
];

/** The codes of a shop that are documented, or that the owner classified or named. */
export async function readKnownCodes(
  db: Db,
  shopId: number,
): Promise<readonly { readonly column: string; readonly code: string }[]> {
  const { rows } = await db.execute<{ column: string; code: string }>(sql`
    SELECT 'status_code' AS column, status_code AS code FROM core.order_statuses
    WHERE shop_id = ${shopId}
      AND (is_documented OR stage <> 'unknown' OR is_sale OR name <> status_code OR name_local IS NOT NULL)
    UNION ALL
    SELECT 'pay_status_code', pay_status_code FROM core.payment_statuses
    WHERE shop_id = ${shopId} AND (is_documented OR name <> pay_status_code OR name_local IS NOT NULL)`);
  return rows;
}

/** Removes codes that are not shown, and that no order has or had. */
export async function removeHiddenCodes(tx: Tx, shopId: number): Promise<void> {
  for (const { table, column } of CODE_TABLES) {
    await tx.execute(sql`
      DELETE FROM ${table} t WHERE t.shop_id = ${shopId} AND t.shown_code = ${HIDDEN_CODE}
        AND NOT EXISTS (SELECT FROM core.orders o WHERE o.shop_id = ${shopId} AND o.${column} = t.${column})
        AND NOT EXISTS (SELECT FROM core.order_history h WHERE h.shop_id = ${shopId} AND h.${column} = t.${column})`);
  }
}
