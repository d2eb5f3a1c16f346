/** Texts in the lines of orders: of the catalogue, but staff may edit them. */
import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { recordset, valuesIn } from '../db/upsert.ts';
import type { orderLines } from '../schema/orders.ts';
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

const GIVEN = [
  { name: 'order_id', type: 'bigint' },
  { name: 'line_no', type: 'smallint' },
  ...['code', 'product_name', 'sku', 'discount_raw'].map((name) => ({ name, type: 'text' })),
];

export async function writeLineTexts(tx: Tx, shopId: number, lines: readonly LineTexts[]): Promise<void> {
  if (lines.length === 0) return;
  const rows = lines.map(({ orderId, lineNo, texts }) => ({ order_id: orderId, line_no: lineNo, ...texts }));
  await tx.execute(sql`
    UPDATE core.order_lines l SET code = given.code, product_name = given.product_name, sku = given.sku,
      discount_raw = given.discount_raw
    FROM ${recordset(GIVEN, rows)}
    WHERE l.shop_id = ${shopId} AND l.order_id = given.order_id AND l.line_no = given.line_no`);
  const orderIds = lines.map(({ orderId }) => orderId);
  await markChanged(tx, shopId, orderIds, await stampChanges(tx, shopId));
}
