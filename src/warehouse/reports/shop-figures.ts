import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm';

import type { Rhythm } from '../../model/alert-facts.ts';
import type { Db, Tx } from '../db/database.ts';
import { readUnclassifiedCodes } from '../directory/owner-codes.ts';
import { fenced, fencedRow, type Lease } from '../ops/lease.ts';
import { days } from '../schema/ops.ts';
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

/** Reads through all orders of a shop for what its indexes do not tell, and keeps that. The shop was counted before. */
export async function saveSurvey(
  db: Db,
  lease: Lease,
  rhythm: Rhythm | undefined,
  surveyedAt: Temporal.Instant,
): Promise<void> {
  const { shopId } = lease;
  const survey = {
    unclassified: await readUnclassifiedCodes(db, shopId),
    rhythm: rhythm ?? null,
    surveyed_at: surveyedAt,
  };
  await fenced(db, lease, (tx) => tx.update(shopFigures).set(survey).where(eq(shopFigures.shop_id, shopId)));
}

export async function readSurveyedAt(db: Db, shopId: number): Promise<Temporal.Instant | undefined> {
  const [row] = await db
    .select({ at: shopFigures.surveyed_at })
    .from(shopFigures)
    .where(eq(shopFigures.shop_id, shopId));
  return row?.at ?? undefined;
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

/** The newest days of a shop that could not be verified, and why. */
export async function readFailedDays(db: Db | Tx, shopId: number, limit: number) {
  const rows = await db
    .select({ day: days.day, attempts: days.attempts, error: days.last_error })
    .from(days)
    .where(and(eq(days.shop_id, shopId), isNull(days.verified_at), isNotNull(days.last_error)))
    .orderBy(desc(days.day))
    .limit(limit);
  return rows.map(({ day, error, ...row }) => ({ ...row, day: day.toString(), error: error ?? '' }));
}

/**
 * Counts the orders of the days before that of the last order, by hours of the shop's own time as if that were UTC.
 *
 * @returns undefined for a shop without orders until now; `fromMs` is the midnight of the first day
 */
export async function readOrderHours(db: Db, shopId: number, days: number, now: Temporal.Instant) {
  const { rows } = await db.execute<{ from_ms: number; hour_ms: number | null; orders: number }>(sql`
    WITH last AS (
      SELECT created_local::date AS day FROM core.orders WHERE shop_id = ${shopId}
        AND created_local <= ${now.toString()}::timestamptz AT TIME ZONE (SELECT timezone FROM core.shops WHERE shop_id = ${shopId})
      ORDER BY created_local DESC LIMIT 1
    )
    SELECT extract(epoch FROM (SELECT day FROM last) - ${days}::int)::float8 * 1000 AS from_ms,
      extract(epoch FROM date_trunc('hour', created_local))::float8 * 1000 AS hour_ms, count(*)::int AS orders
    FROM core.orders WHERE shop_id = ${shopId} AND deleted_at IS NULL
      AND created_local >= (SELECT day FROM last) - ${days}::int AND created_local < (SELECT day FROM last)
    GROUP BY 2`);
  const [first] = rows;
  if (first === undefined) return undefined;
  const hours = rows.map(({ hour_ms, orders }) => ({ hourMs: hour_ms ?? 0, orders }));
  return { fromMs: first.from_ms, hours };
}
