import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import type { CodeCountRecord } from '../schema/ops.ts';

/** A code of the shop's own that is not classified yet, or all hidden ones, and how many current orders have it. */
export type UnclassifiedCode = CodeCountRecord;

/** The unclassified codes of a shop, the most used first. */
export async function readUnclassifiedCodes(
  db: Db | Tx,
  shopId: number,
): Promise<readonly UnclassifiedCode[]> {
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
