import { sql } from 'drizzle-orm';

import type { Db } from './database.ts';

/** Live orders of one month: how many, and their sum as decimal text. */
export type MonthTotal = { readonly month: string; readonly orders: number; readonly sum: string };

/**
 * Totals per month of the live orders placed in a span of days, both ends included.
 *
 * @returns months as `2026-01`, ascending
 */
export async function readMonthTotals(
  db: Db,
  shopId: number,
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
): Promise<readonly MonthTotal[]> {
  const { rows } = await db.execute<MonthTotal>(sql`
    SELECT to_char(created_on, 'YYYY-MM') AS month, count(*)::int AS orders, coalesce(sum(order_sum), 0)::text AS sum
    FROM core.orders
    WHERE shop_id = ${shopId} AND created_on BETWEEN ${from.toString()} AND ${to.toString()}
      AND missing_since IS NULL AND deleted_at IS NULL
    GROUP BY 1 ORDER BY 1`);
  return rows;
}
