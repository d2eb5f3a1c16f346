import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { storableJson } from '../db/pg-json.ts';
import { recordset, valuesIn } from '../db/upsert.ts';
import { STRIPPED_FORM } from '../schema/orders.ts';
import type { PersonToKeep } from './persons.ts';

/** Makes the next sweep treat these orders as changed, and reload them. */
export async function clearFingerprints(tx: Tx, shopId: number, orderIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    UPDATE core.orders SET fingerprint = CASE WHEN fingerprint ~ ${STRIPPED_FORM} THEN left(fingerprint, 2) ELSE '' END
    WHERE shop_id = ${shopId} AND order_id IN ${valuesIn(orderIds)}`);
}

type Columns = Readonly<Record<string, unknown>>;

/** An order as the shop sent it; what is undefined is not compared. */
export type OrderToCompare = {
  readonly orderId: string;
  readonly row?: Columns | undefined;
  /** Not compared where none is stored. */
  readonly person?: PersonToKeep | undefined;
  readonly lines?: readonly Columns[] | undefined;
};

/** A column that a stored order, its person or one of its lines has otherwise than the shop; as text. */
export type ColumnDifference = {
  readonly order_id: string;
  /** 0: it is of the order itself. */
  readonly line_no: number;
  readonly column_name: string;
  readonly shop: string | null;
  readonly warehouse: string | null;
};

const INPUT = { order_id: 'bigint', sent_order: 'jsonb', sent_person: 'jsonb', sent_lines: 'jsonb' };

/** Compares stored orders with what the shop sent, by the types of the columns. */
export async function findDifferences(
  db: Db,
  shopId: number,
  input: readonly OrderToCompare[],
): Promise<readonly ColumnDifference[]> {
  if (input.length === 0) return [];
  const orders = input.map(({ orderId, row, person, lines }) => {
    // The shop counts visits, which do not change an order.
    const { views: _views, ...columns } = row ?? {};
    const sent_person = person && { ...person, rest: storableJson(person.rest) };
    return { order_id: orderId, sent_order: row && columns, sent_person, sent_lines: lines };
  });
  const { rows } = await db.execute<ColumnDifference>(sql`
    WITH input AS MATERIALIZED (SELECT * FROM ${recordset(INPUT, orders)}), sent AS (
      SELECT order_id, 'order' AS part, 0 AS line_no, sent_order AS names,
        to_jsonb(jsonb_populate_record(NULL::core.orders, sent_order)) AS sent FROM input
      UNION ALL
      SELECT order_id, 'person', 0, sent_person, to_jsonb(jsonb_populate_record(NULL::core.order_persons, sent_person)) FROM input
      UNION ALL
      SELECT order_id, 'line', (line ->> 'line_no')::int, line, to_jsonb(jsonb_populate_record(NULL::core.order_lines, line))
      FROM input CROSS JOIN jsonb_array_elements(sent_lines) line
    ), stored AS (
      SELECT order_id, 'order' AS part, 0 AS line_no, to_jsonb(o) AS stored FROM core.orders o
      WHERE shop_id = ${shopId} AND order_id IN (SELECT order_id FROM input)
      UNION ALL
      SELECT order_id, 'person', 0, to_jsonb(p) FROM core.order_persons p
      WHERE shop_id = ${shopId} AND order_id IN (SELECT order_id FROM input)
      UNION ALL
      SELECT order_id, 'line', line_no, to_jsonb(l) FROM core.order_lines l
      WHERE shop_id = ${shopId} AND order_id IN (SELECT order_id FROM input WHERE sent_lines IS NOT NULL)
    )
    SELECT order_id, line_no, key AS column_name, sent ->> key AS shop, stored ->> key AS warehouse
    FROM sent FULL JOIN stored USING (order_id, part, line_no)
    CROSS JOIN LATERAL jsonb_object_keys(CASE WHEN part = 'line' THEN coalesce(names, stored - 'shop_id') ELSE names END) key
    WHERE (sent ->> key) IS DISTINCT FROM (stored ->> key) AND (part <> 'person' OR stored IS NOT NULL)
    ORDER BY order_id, line_no, key`);
  return rows;
}
