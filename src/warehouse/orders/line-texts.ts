/** Texts in the lines of orders: of the catalogue, but staff may edit them. */
import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { upsert, valuesIn } from '../db/upsert.ts';
import { orderLines } from '../schema/orders.ts';
import { markChanged, stampChanges } from '../ops/change-stamp.ts';

export type LineTexts = {
  readonly orderId: string;
  readonly lineNo: number;
  readonly texts: Pick<typeof orderLines.$inferSelect, 'code' | 'product_name' | 'sku' | 'discount_raw'>;
};

export async function readLineTexts(
  db: Db,
  shopId: number,
  orderIds: readonly string[],
): Promise<readonly LineTexts[]> {
  const { rows } = await db.execute<{ order_id: string; line_no: number } & LineTexts['texts']>(sql`
    SELECT order_id, line_no, code, product_name, sku, discount_raw FROM core.order_lines
    WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(orderIds)}`);
  return rows.map(({ order_id: orderId, line_no: lineNo, ...texts }) => ({ orderId, lineNo, texts }));
}

export async function writeLineTexts(tx: Tx, shopId: number, lines: readonly LineTexts[]): Promise<void> {
  if (lines.length === 0) return;
  const changedAt = await stampChanges(tx, shopId);
  const rows = lines.map(({ orderId, lineNo, texts }) => ({
    shop_id: shopId,
    order_id: orderId,
    line_no: lineNo,
    ...texts,
  }));
  const written = await upsert(tx, orderLines, rows, { returning: ['order_id'] });
  await markChanged(
    tx,
    shopId,
    written.map(({ order_id }) => order_id),
    changedAt,
  );
}
