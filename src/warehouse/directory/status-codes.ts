import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';

/** A code of the shop's own that nobody has classified yet. */
export type UnclassifiedCode = {
  readonly kind: 'order' | 'payment';
  readonly code: string;
  /** Orders that have it now. */
  readonly orders: number;
};

/** The codes of a shop that are still to be classified, the most used first. */
export async function readUnclassifiedCodes(db: Db, shopId: number): Promise<readonly UnclassifiedCode[]> {
  const { rows } = await db.execute<UnclassifiedCode>(sql`
    SELECT kind, code, orders::int AS orders FROM bi.unclassified_statuses WHERE shop_id = ${shopId}
    ORDER BY bi.unclassified_statuses.orders DESC, kind, code`);
  return rows;
}

/** Adds codes that the shop made up: they count as no sale until an analyst classifies them. */
export async function addUnknownCodes(
  tx: Tx,
  shopId: number,
  rows: readonly { readonly status_code: string; readonly pay_status_code: string }[],
): Promise<void> {
  const given = (codes: readonly string[]) =>
    sql`json_array_elements_text(${JSON.stringify([...new Set(codes)].toSorted())}::json) AS code`;
  await tx.execute(sql`
    INSERT INTO core.order_statuses (shop_id, status_code, name, stage, is_sale, is_final, is_documented)
    SELECT ${shopId}, code, code, 'unknown', false, false, false FROM ${given(rows.map((row) => row.status_code))}
    ON CONFLICT DO NOTHING`);
  await tx.execute(sql`
    INSERT INTO core.payment_statuses (shop_id, pay_status_code, name, is_documented)
    SELECT ${shopId}, code, code, false FROM ${given(rows.map((row) => row.pay_status_code))}
    ON CONFLICT DO NOTHING`);
}
