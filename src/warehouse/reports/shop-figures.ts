import { eq, type SQL, sql } from 'drizzle-orm';

import type { Rhythm } from '../../alert-facts.ts';
import type { Db, Tx } from '../db/database.ts';
import { readUnclassifiedCodes } from '../directory/status-codes.ts';
import { fence, fenced, type Lease, leaseLost } from '../ops/lease.ts';
import { openRejections } from '../ops/list-rejections.ts';
import { readChangeAges } from '../orders/change-ages.ts';
import { ORDER_TOTALS } from '../orders/order-totals.ts';
import { shopFigures } from '../schema/ops.ts';

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
export type ShopFigures = Counts & Pick<FiguresRow, 'change_ages' | 'unclassified'>;

/** Counts a shop's orders and rejections from indexes and sums, however many there are. */
function counts(shopId: number): SQL {
  return sql`SELECT
    (SELECT coalesce(sum(orders), 0)::int FROM ${ORDER_TOTALS} WHERE shop_id = ${shopId}) AS orders,
    (SELECT count(*)::int FROM core.orders
      WHERE shop_id = ${shopId} AND missing_since IS NOT NULL AND deleted_at IS NULL) AS orders_missing,
    (SELECT count(*)::int FROM core.orders
      WHERE shop_id = ${shopId} AND missing_since IS NOT NULL AND deleted_at IS NOT NULL) AS orders_deleted,
    (SELECT count(*)::int FROM core.orders
      WHERE shop_id = ${shopId} AND lines_state <> 'ok' AND deleted_at IS NULL) AS orders_without_lines,
    (SELECT count(*)::int FROM core.orders
      WHERE shop_id = ${shopId} AND lines_state <> 'ok' AND lines_state = 'doubtful' AND deleted_at IS NULL)
      AS orders_with_doubtful_lines,
    ${openRejections(shopId)} AS open_rejections`;
}

/** Counts a shop now. What takes all of its orders to read is as its last survey found it, if there was one. */
export async function countShop(db: Db | Tx, shopId: number): Promise<ShopFigures> {
  const { rows } = await db.execute<Counts>(counts(shopId));
  const [counted] = rows;
  if (counted === undefined) throw new Error('the count of a shop returned no row');
  const [kept] = await db.select().from(shopFigures).where(eq(shopFigures.shop_id, shopId));
  const isSurveyed = kept !== undefined && kept.surveyed_at !== null;
  return { ...counted, ...(isSurveyed ? surveyOf(kept) : await surveyShop(db, shopId)) };
}

const surveyOf = ({ change_ages, unclassified }: FiguresRow) => ({ change_ages, unclassified });

async function surveyShop(db: Db | Tx, shopId: number) {
  return {
    change_ages: await readChangeAges(db, shopId),
    unclassified: await readUnclassifiedCodes(db, shopId),
  };
}

/**
 * Counts a shop's orders and rejections, and keeps the figures.
 *
 * @throws LeaseLostError when another process took the lease; then nothing is written
 */
export async function saveShopFigures(db: Db, lease: Lease, countedAt: Temporal.Instant): Promise<void> {
  const names = sql.raw([...COUNTED, 'counted_at'].join(', '));
  const given = sql.raw([...COUNTED, 'counted_at'].map((name) => `excluded.${name}`).join(', '));
  const { rows } = await db.execute(sql`
    WITH fence AS (${fence(lease)}), counted AS (${counts(lease.shopId)})
    INSERT INTO ops.shop_figures (shop_id, ${names})
    SELECT shop_id, counted.*, ${countedAt.toString()}::timestamptz FROM fence CROSS JOIN counted
    ON CONFLICT (shop_id) DO UPDATE SET (${names}) = ROW (${given})
    RETURNING shop_id`);
  if (rows.length === 0) throw leaseLost(lease);
}

/** Reads through all orders of a shop for what its indexes do not tell, and keeps that. The shop was counted before. */
export async function saveSurvey(
  db: Db,
  lease: Lease,
  rhythm: Rhythm | undefined,
  surveyedAt: Temporal.Instant,
): Promise<void> {
  const { shopId } = lease;
  const survey = {
    ...(await surveyShop(db, shopId)),
    rhythm: rhythm ?? null,
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

/** The kept figures of all shops that were counted, by shop. */
export async function readKeptFigures(db: Db | Tx): Promise<ReadonlyMap<number, ShopFigures>> {
  const rows = await db.select().from(shopFigures);
  return new Map(rows.map((row) => [row.shop_id, row]));
}
