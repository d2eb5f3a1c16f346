import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { shopFigures } from '../schema/shop-state.ts';

type FiguresRow = typeof shopFigures.$inferSelect;
const COUNTED = [
  'orders',
  'orders_missing',
  'orders_deleted',
  'orders_without_lines',
  'orders_with_doubtful_lines',
  'open_rejections',
] as const;
type Counts = Pick<FiguresRow, (typeof COUNTED)[number]>;

/** What is counted of a shop; a survey, which reads through all orders, may be older than the counts, or missing. */
export type ShopFigures = Counts & Pick<FiguresRow, 'unclassified'>;

/** Counts a shop's orders and rejections, from indexes and sums, and keeps the figures. */
export async function saveShopFigures(tx: Tx, shopId: number, countedAt: Temporal.Instant): Promise<void> {
  const [counted, names] = [COUNTED, [...COUNTED, 'counted_at']].map((columns) =>
    sql.raw(columns.join(', ')),
  );
  const input = sql.raw([...COUNTED, 'counted_at'].map((name) => `excluded.${name}`).join(', '));
  await tx.execute(sql`
    INSERT INTO ops.shop_figures (shop_id, ${names})
    SELECT shop_id, ${counted}, ${countedAt.toString()}::timestamptz FROM core.shop_summaries WHERE shop_id = ${shopId}
    ON CONFLICT (shop_id) DO UPDATE SET (${names}) = ROW (${input})`);
}

/** Counts the orders of each unclassified code, once a day: all orders of the shop are read for that. The shop was counted before. */
export async function saveSurvey(tx: Tx, shopId: number, surveyedAt: Temporal.Instant): Promise<void> {
  const at = sql`${surveyedAt.toString()}::timestamptz`;
  await tx.execute(sql`
    UPDATE ops.shop_figures SET surveyed_at = ${at}, unclassified = (
      SELECT coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'code', code, 'orders', orders)), '[]')
      FROM bi.unclassified_statuses WHERE shop_id = ${shopId})
    WHERE shop_id = ${shopId} AND (surveyed_at > ${at} - interval '1 day' AND surveyed_at <= ${at}) IS NOT TRUE`);
}

type OpenOrders = {
  readonly without_lines: number;
  readonly doubtful: number;
  readonly missing: number;
  readonly confirmed_at: Temporal.Instant | null;
  readonly missing_days: readonly string[];
};

/** What a run leaves open: orders whose lines are to be fetched again, and orders that may be gone, with their days. */
export async function readOpenOrders(db: Db | Tx, shopId: number): Promise<OpenOrders> {
  return oneRow(
    db,
    sql`
    SELECT orders_without_lines AS without_lines, orders_with_doubtful_lines AS doubtful, orders_missing AS missing, confirmed_at,
      ARRAY(SELECT day::text FROM core.missing_orders WHERE shop_id = ${shopId} AND day IS NOT NULL) AS missing_days
    FROM core.shop_summaries WHERE shop_id = ${shopId}`,
  );
}

export async function readKeptFigures(db: Db | Tx): Promise<ReadonlyMap<number, ShopFigures>> {
  const rows = await db.select().from(shopFigures);
  return new Map(rows.map((row) => [row.shop_id, row]));
}

/** A shop's orders of every stage by day, oldest first; those that are deleted or have no day are left out. */
export async function readDailyOrders(db: Db | Tx, shopId: number) {
  const { rows } = await db.execute<{ readonly day: string; readonly orders: number }>(sql`
    SELECT day, sum(orders)::int AS orders FROM core.order_counts WHERE shop_id = ${shopId} AND day IS NOT NULL
    GROUP BY day ORDER BY day`);
  return rows;
}
