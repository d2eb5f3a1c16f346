/** Orders of which only the row is left, since `RAW_KEPT` removed the shop's answer. */
import { sql } from 'drizzle-orm';

import type { Cleared } from '../../cleared.ts';
import { type JsonValue, parseJson } from '../../json.ts';
import type { Db, Tx } from '../db/database.ts';
import { restoreText } from '../db/pg-json.ts';
import { recordset } from '../db/upsert.ts';
import { addReferences } from './order-references.ts';
import { findTextColumns, type OrderTextColumn } from '../schema/order-texts.ts';
import { type OrderRecord, orders } from '../schema/orders.ts';
import { stampChanges } from './change-stamp.ts';

/** What a row may hold of a person. */
export const TEXT_COLUMNS = findTextColumns();

type Columns = OrderTextColumn | 'order_id' | 'buyer_oid' | 'customer_key' | 'fingerprint';

export type RowWithoutPayload = Pick<OrderRecord, Columns>;

/** A row, and the shop's answer for its lines where that one is left. */
export type OrderWithoutPayload = {
  readonly row: RowWithoutPayload;
  readonly content: JsonValue | undefined;
};

/** By id. @param after the last one read */
export async function readRowsWithoutPayload(
  db: Db,
  shopId: number,
  after: string | undefined,
  limit: number,
): Promise<readonly OrderWithoutPayload[]> {
  const { rows } = await db.execute<RowWithoutPayload & { content: string | null }>(sql`
    SELECT o.order_id, o.buyer_oid, o.customer_key, o.fingerprint, ${sql.raw(TEXT_COLUMNS.map((column) => `o.${column}`).join(', '))},
      c.payload::text AS content
    FROM core.orders o
    LEFT JOIN raw.orders r ON r.shop_id = o.shop_id AND r.order_id = o.order_id
    LEFT JOIN raw.order_contents c ON c.shop_id = o.shop_id AND c.order_id = o.order_id
    WHERE o.shop_id = ${shopId} AND r.order_id IS NULL
      AND ${after === undefined ? sql`true` : sql`o.order_id > ${after}::bigint`}
    ORDER BY o.order_id LIMIT ${limit}`);
  return rows.map(({ content, ...row }) => ({
    row,
    content: content === null ? undefined : parseJson(restoreText(content)),
  }));
}

const GIVEN = [
  { name: 'order_id', type: 'bigint' },
  { name: 'buyer_oid', type: 'bigint' },
  { name: 'customer_key', type: 'text' },
  { name: 'fingerprint', type: 'text' },
  ...TEXT_COLUMNS.map((name) => ({ name, type: orders[name].getSQLType() })),
];
const ASSIGNED = GIVEN.slice(1).map(({ name }) => `${name} = given.${name}`);

/** Writes rows from which something personal was removed. */
export async function rewriteRowsWithoutPayload(
  tx: Tx,
  shopId: number,
  rows: readonly Cleared<RowWithoutPayload>[],
): Promise<number> {
  if (rows.length === 0) return 0;
  await addReferences(tx, shopId, rows);
  const { rowCount } = await tx.execute(sql`
    UPDATE core.orders o SET ${sql.raw(ASSIGNED.join(', '))}, row_changed_at = ${await stampChanges(tx, shopId)} FROM ${recordset(GIVEN, rows, 'escaped')}
    WHERE o.shop_id = ${shopId} AND o.order_id = given.order_id`);
  return rowCount ?? 0;
}
