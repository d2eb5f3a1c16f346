import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { days } from '../schema/ops.ts';

/** A shop's orders of one day in one currency. */
export type DailyFigure = {
  readonly day: string;
  /** Null: the shop sent none. */
  readonly currency: string | null;
  /** Of every stage, without deleted ones. */
  readonly orders: number;
  /** Of sales; for display only, since it is not exact. */
  readonly revenue: number;
};

/** The sums that the views read, of a shop's whole history, oldest day first; orders without a day are left out. */
export async function readDailyFigures(db: Db | Tx, shopId: number): Promise<readonly DailyFigure[]> {
  const { rows } = await db.execute<DailyFigure>(sql`
    SELECT day, currency, coalesce(revenue, 0)::float8 AS revenue,
      (orders + cancelled_orders + returned_orders + draft_orders + other_orders)::float8 AS orders
    FROM core.daily_totals WHERE shop_id = ${shopId} AND day IS NOT NULL
    ORDER BY day`);
  return rows;
}

/** The newest days of a shop that could not be verified, and why. */
export async function readFailedDays(
  db: Db | Tx,
  shopId: number,
  limit: number,
): Promise<readonly { readonly day: string; readonly attempts: number; readonly error: string }[]> {
  const rows = await db
    .select({ day: days.day, attempts: days.attempts, error: days.last_error })
    .from(days)
    .where(and(eq(days.shop_id, shopId), isNull(days.verified_at), isNotNull(days.last_error)))
    .orderBy(desc(days.day))
    .limit(limit);
  return rows.map(({ error, ...row }) => ({ ...row, error: error ?? '' }));
}
