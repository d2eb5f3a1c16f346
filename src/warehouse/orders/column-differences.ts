import { sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import { STRIPPED_FORM } from '../schema/orders.ts';

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
      WHERE o.shop_id = ${shopId} AND o.order_id = ${orderId}::bigint AND ${order !== undefined}
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
