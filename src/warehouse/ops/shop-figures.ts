import { eq, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { readUnclassifiedCodes } from '../directory/status-codes.ts';
import { readChangeAges } from '../orders/change-ages.ts';
import { shopFigures } from '../schema/ops.ts';
import { fence, fenced, type Lease, leaseLost } from './lease.ts';
import { openRejections } from './list-rejections.ts';

export type ShopFigures = typeof shopFigures.$inferSelect;

/**
 * Counts a shop's orders and rejections, and saves the figures: all of it from indexes and sums, however many orders
 * there are.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function saveShopFigures(db: Db, lease: Lease, countedAt: Temporal.Instant): Promise<void> {
  const { shopId } = lease;
  const result = await db.execute(sql`
    WITH fence AS (${fence(lease)}),
    counted AS (
      SELECT
        (SELECT coalesce(sum(orders), 0)::int FROM core.status_path_totals WHERE shop_id = ${shopId}) AS orders,
        (SELECT count(*)::int FROM core.orders
          WHERE shop_id = ${shopId} AND missing_since IS NOT NULL AND deleted_at IS NULL) AS missing,
        (SELECT count(*)::int FROM core.orders
          WHERE shop_id = ${shopId} AND missing_since IS NOT NULL AND deleted_at IS NOT NULL) AS deleted,
        (SELECT count(*)::int FROM core.orders
          WHERE shop_id = ${shopId} AND lines_state <> 'ok' AND deleted_at IS NULL) AS without_lines,
        ${openRejections(shopId)} AS rejections
    )
    INSERT INTO ops.shop_figures AS stored
      (shop_id, orders, orders_missing, orders_deleted, orders_without_lines, open_rejections, counted_at)
    SELECT shop_id, orders, missing, deleted, without_lines, rejections, ${countedAt.toString()}::timestamptz
    FROM fence CROSS JOIN counted
    ON CONFLICT (shop_id) DO UPDATE SET orders = excluded.orders, orders_missing = excluded.orders_missing,
      orders_deleted = excluded.orders_deleted, orders_without_lines = excluded.orders_without_lines,
      open_rejections = excluded.open_rejections, counted_at = excluded.counted_at`);
  if (result.rowCount === 0) throw leaseLost(lease);
}

/** Reads through all orders of a shop for what its indexes do not tell, and saves that. The shop was counted before. */
export async function saveSurvey(db: Db, lease: Lease, surveyedAt: Temporal.Instant): Promise<void> {
  const { shopId } = lease;
  const survey = {
    change_ages: await readChangeAges(db, shopId),
    unclassified: await readUnclassifiedCodes(db, shopId),
    surveyed_at: surveyedAt.toString(),
  };
  await fenced(db, lease, (tx) => tx.update(shopFigures).set(survey).where(eq(shopFigures.shop_id, shopId)));
}

/** When a shop was last surveyed. */
export async function readSurveyedAt(db: Db, shopId: number): Promise<string | null> {
  const [row] = await db
    .select({ at: shopFigures.surveyed_at })
    .from(shopFigures)
    .where(eq(shopFigures.shop_id, shopId));
  return row?.at ?? null;
}

/** The figures of all shops that were counted. */
export async function readAllFigures(db: Db | Tx): Promise<readonly ShopFigures[]> {
  return db.select().from(shopFigures);
}
