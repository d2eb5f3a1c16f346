import { sql, type SQL } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import type { CodeCountRecord } from '../schema/ops.ts';
import { HIDDEN_CODE } from '../../shown-code.ts';

/** A code of the shop's own that is not classified yet, or all hidden ones, and how many current orders have it. */
export type UnclassifiedCode = CodeCountRecord;

/** The unclassified codes of a shop, the most used first. */
export async function readUnclassifiedCodes(db: Db | Tx, shopId: number) {
  const { rows } = await db.execute<UnclassifiedCode>(sql`
    SELECT kind, code, orders::int AS orders FROM bi.unclassified_statuses
    WHERE shop_id = ${shopId}
    ORDER BY bi.unclassified_statuses.orders DESC, kind, code`);
  return rows;
}

/** Codes of all shops that are not classified yet, without counting orders. */
export async function listUnclassifiedCodes(db: Db | Tx): Promise<readonly ShopCode[]> {
  const { rows } = await db.execute<{ shop_id: number } & Omit<ShopCode, 'shopId'>>(sql`
    SELECT shop_id, 'order' AS kind, shown_code AS code FROM core.order_statuses
    WHERE NOT is_documented AND stage = 'unknown' AND NOT is_sale AND name = status_code AND name_local IS NULL
    GROUP BY shop_id, shown_code
    UNION ALL
    SELECT shop_id, 'payment', shown_code FROM core.payment_statuses
    WHERE NOT is_documented AND name = pay_status_code AND name_local IS NULL
    GROUP BY shop_id, shown_code`);
  return rows.map(({ shop_id: shopId, kind, code }) => ({ shopId, kind, code }));
}

export type ShopCode = Omit<UnclassifiedCode, 'orders'> & { readonly shopId: number };

const CODE_TABLES: readonly { readonly table: SQL; readonly column: SQL }[] = [
  { table: sql`core.order_statuses`, column: sql`status_code` },
  { table: sql`core.payment_statuses`, column: sql`pay_status_code` },
];

/** The codes of a shop that are documented, or that the owner classified or named. */
export async function readKnownCodes(db: Db, shopId: number) {
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
