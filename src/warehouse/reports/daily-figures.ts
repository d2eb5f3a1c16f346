import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';

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

/** Requests to a shop in the last 24 hours, by hour, the current one last. */
export async function readHourlyRequests(
  db: Db | Tx,
  shopId: number,
  now: Temporal.Instant,
): Promise<readonly number[]> {
  const { rows } = await db.execute<{ requests: number[] }>(sql`
    SELECT array_agg(coalesce(t.requests_by_hour[
      (extract(epoch FROM t.requests_hour - date_trunc('hour', ${now.toString()}::timestamptz)) / 3600)::int + n + 1], 0)
      ORDER BY n DESC) AS requests
    FROM ops.shop_state t CROSS JOIN generate_series(0, 23) n WHERE t.shop_id = ${shopId}`);
  return rows[0]?.requests ?? [];
}

/** What is wrong with a shop as its sweeps found: sentences, by cause. */
export async function readFindings(db: Db | Tx, shopId: number): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.execute<{ cause: string; detail: string }>(
    sql`SELECT cause, detail FROM ops.findings WHERE shop_id = ${shopId} ORDER BY cause`,
  );
  return new Map(rows.map(({ cause, detail }) => [cause, detail]));
}
