import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import type { OrderLines } from './load-lines.ts';
import type { OrderToLoad } from './load-orders.ts';
import { toPersonRecords } from './order-persons.ts';
import { orderLines, orderPersons, orders, STRIPPED_FORM } from '../schema/orders.ts';
import { findDiffering, recordset, valuesIn } from '../db/upsert.ts';

export async function findDifferingOrders(
  db: Db,
  shopId: number,
  given: readonly Pick<OrderToLoad, 'row' | 'person'>[],
): Promise<readonly string[]> {
  // `views` counts visits, which do not change the order; it is stored as of the last change.
  const rows = given.map(({ row: { views: _views, ...row } }) => ({ ...row, shop_id: shopId }));
  const persons = given.map(({ row, person = null }) => ({ orderId: row.order_id, person }));
  return [
    ...(await findDiffering(db, orders, rows, 'order_id')),
    ...(await findDiffering(db, orderPersons, toPersonRecords(shopId, persons), 'order_id')),
  ];
}

export async function findDifferingLines(db: Db, shopId: number, given: readonly OrderLines[]) {
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
  const differing = await findDiffering(db, orderLines, lines, 'order_id');
  return [...differing, ...others.map(({ order_id }) => order_id)];
}

/** Makes the next sweep treat these orders as changed, and reload them. */
export async function clearFingerprints(tx: Tx, shopId: number, orderIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    UPDATE core.orders SET fingerprint = CASE WHEN fingerprint ~ ${STRIPPED_FORM} THEN left(fingerprint, 2) ELSE '' END
    WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(orderIds)}`);
}

/** A column that a stored order, or one of its lines, has otherwise than the shop; as text. */
export type ColumnDifference = {
  /** 0: it is of the order itself. */
  readonly line_no: number;
  readonly column_name: string;
  readonly shop: string | null;
  readonly warehouse: string | null;
};

type Columns = Readonly<Record<string, unknown>>;

/**
 * Compares a stored order and its lines with what the shop sent, by the types of the columns.
 *
 * @param order undefined: only the lines are compared
 * @param lines of this order
 */
export async function findDifferences(
  db: Db,
  shopId: number,
  orderId: string,
  order: Columns | undefined,
  lines: readonly Columns[],
): Promise<{ readonly isStripped: boolean; readonly differences: readonly ColumnDifference[] }> {
  const { rows: found } = await db.execute<{ is_stripped: boolean }>(sql`
    SELECT fingerprint ~ ${STRIPPED_FORM} AS is_stripped FROM core.orders
    WHERE shop_id = ${shopId} AND order_id = ${orderId}::bigint`);
  // The shop counts visits, which do not change an order.
  const { views: _views, ...columns } = order ?? {};
  const { rows } = await db.execute<ColumnDifference>(sql`
    WITH given AS (
      SELECT 0 AS line_no, ${JSON.stringify(columns)}::jsonb AS names,
        to_jsonb(jsonb_populate_record(NULL::core.orders, ${JSON.stringify(columns)}::jsonb)) AS sent
      UNION ALL
      SELECT (line ->> 'line_no')::int, line, to_jsonb(jsonb_populate_record(NULL::core.order_lines, line))
      FROM jsonb_array_elements(${JSON.stringify(lines)}::jsonb) line
    ), held AS (
      SELECT 0 AS line_no, to_jsonb(o) AS kept FROM core.orders o
      WHERE o.shop_id = ${shopId} AND o.order_id = ${orderId}::bigint
      UNION ALL
      SELECT l.line_no, to_jsonb(l) FROM core.order_lines l WHERE l.shop_id = ${shopId} AND l.order_id = ${orderId}::bigint
    )
    SELECT coalesce(given.line_no, held.line_no) AS line_no, key AS column_name, sent ->> key AS shop, kept ->> key AS warehouse
    FROM given FULL JOIN held ON given.line_no = held.line_no
    CROSS JOIN LATERAL jsonb_object_keys(coalesce(names, kept - 'shop_id')) key
    WHERE (sent ->> key) IS DISTINCT FROM (kept ->> key)
    ORDER BY 1, key`);
  return { isStripped: found[0]?.is_stripped === true, differences: rows };
}
