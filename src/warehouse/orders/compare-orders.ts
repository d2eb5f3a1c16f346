import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import type { OrderLines } from './load-lines.ts';
import type { OrderToLoad } from './load-orders.ts';
import { findDifferingPersons } from './order-persons.ts';
import { orderLines, orders, STRIPPED_FORM } from '../schema/orders.ts';
import { findDiffering, recordset, valuesIn } from '../db/upsert.ts';

/** The ids of those given orders that are stored with other values, of their own or of their persons. */
export async function findDifferingOrders(
  db: Db,
  shopId: number,
  given: readonly Pick<OrderToLoad, 'row' | 'person'>[],
): Promise<readonly string[]> {
  // `views` counts visits, which do not change the order; it is stored as of the last change.
  const rows = given.map(({ row: { views: _views, ...row } }) => ({ ...row, shop_id: shopId }));
  const keys = await findDiffering(db, orders, rows);
  const persons = given.map(({ row, person }) => ({ orderId: row.order_id, person }));
  return [
    ...keys.map((key) => String(key['order_id'])),
    ...(await findDifferingPersons(db, shopId, persons)),
  ];
}

/** The ids of those given orders that are stored with other lines. */
export async function findDifferingLines(
  db: Db,
  shopId: number,
  given: readonly OrderLines[],
): Promise<readonly string[]> {
  const lines = given.flatMap(({ rows }) => rows.map((row) => ({ ...row, shop_id: shopId })));
  const numbers = given.map(({ orderId, rows }) => ({
    order_id: orderId,
    numbers: rows.map(({ line_no }) => line_no).join(),
  }));
  const { rows: others } = await db.execute<{ order_id: string }>(sql`
    SELECT given.order_id FROM ${recordset({ order_id: 'bigint', numbers: 'text' }, numbers)}
    LEFT JOIN core.order_lines l ON l.shop_id = ${shopId} AND l.order_id = given.order_id
    GROUP BY given.order_id, given.numbers
    HAVING given.numbers <> coalesce(string_agg(l.line_no::text, ',' ORDER BY l.line_no), '')`);
  return [...(await findDiffering(db, orderLines, lines)), ...others].map((row) => String(row['order_id']));
}

/** Makes the next sweep treat these orders as changed, and reload them. */
export async function clearFingerprints(tx: Tx, shopId: number, orderIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    UPDATE core.orders SET fingerprint = CASE WHEN fingerprint ~ ${STRIPPED_FORM} THEN left(fingerprint, 2) ELSE '' END
    WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(orderIds)}`);
}
