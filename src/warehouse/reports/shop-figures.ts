import { sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { fencedRow, type Lease } from '../ops/lease.ts';
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

/**
 * Counts a shop's orders and rejections, from indexes and sums, and keeps the figures.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function saveShopFigures(db: Db, lease: Lease, countedAt: Temporal.Instant): Promise<void> {
  const counted = sql.raw(COUNTED.join(', '));
  const names = sql.raw([...COUNTED, 'counted_at'].join(', '));
  const given = sql.raw([...COUNTED, 'counted_at'].map((name) => `excluded.${name}`).join(', '));
  await fencedRow(
    db,
    lease,
    sql`, counted AS (SELECT ${counted} FROM core.shop_summaries WHERE shop_id = ${lease.shopId})
    INSERT INTO ops.shop_figures (shop_id, ${names})
    SELECT shop_id, counted.*, ${countedAt.toString()}::timestamptz FROM fence CROSS JOIN counted
    ON CONFLICT (shop_id) DO UPDATE SET (${names}) = ROW (${given})
    RETURNING shop_id`,
  );
}

/** Counts the orders of each unclassified code, once a day: all orders of the shop are read for that. The shop was counted before. */
export async function saveSurvey(db: Db, lease: Lease, surveyedAt: Temporal.Instant): Promise<void> {
  const at = sql`${surveyedAt.toString()}::timestamptz`;
  await fencedRow(
    db,
    lease,
    sql`, surveyed AS (
      UPDATE ops.shop_figures f SET surveyed_at = ${at}, unclassified = (
        SELECT coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'code', code, 'orders', orders)), '[]')
        FROM bi.unclassified_statuses WHERE shop_id = ${lease.shopId})
      FROM fence WHERE f.shop_id = ${lease.shopId} AND f.shop_id = fence.shop_id
        AND (f.surveyed_at > ${at} - interval '1 day' AND f.surveyed_at <= ${at}) IS NOT TRUE
    ) SELECT shop_id FROM fence`,
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
