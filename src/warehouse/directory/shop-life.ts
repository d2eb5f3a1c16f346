/** What becomes of a registered shop: paused and resumed, moved to another time zone, marked for deletion. */
import { stampChanges } from '../ops/change-stamp.ts';
import { eq, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { dropAlerts } from '../ops/alerts.ts';
import { revokeLease } from '../ops/lease.ts';
import { shops } from '../schema/shops.ts';

/** A shop as `order-sync shops` lists it. */
export type ListedShop = {
  readonly shop: string;
  readonly base_url: string;
  readonly timezone: string;
  /** Orders in the warehouse, without deleted ones. */
  readonly orders: number;
  readonly paused_at: string | null;
  readonly deletion_started_at: string | null;
  /** A day of it was verified once, or an order loaded. */
  readonly is_read: boolean;
};

export async function listShopsWithOrders(db: Db): Promise<readonly ListedShop[]> {
  const { rows } = await db.execute<ListedShop>(sql`
    SELECT s.shop_key AS shop, s.base_url, s.timezone, o.orders,
      to_json(s.paused_at) #>> '{}' AS paused_at,
      to_json(s.deletion_started_at) #>> '{}' AS deletion_started_at, o.days_verified + o.orders > 0 AS is_read
    FROM core.shops s
    JOIN core.shop_summaries o USING (shop_id)
    ORDER BY s.shop_key`);
  return rows;
}

/** Ends all work on a shop, at once, until it is resumed. What was loaded stays. Harmless for a shop that is paused already. */
export async function pauseShop(db: Db, shopId: number): Promise<void> {
  await stopWork(db, shopId, 'paused_at');
}

/** Lets a paused shop be synced again: the next sweep of a worker does. A shop that was not paused keeps its alerts. */
export async function resumeShop(db: Db, shopId: number): Promise<void> {
  await db.execute(sql`
    UPDATE core.shops SET paused_at = NULL, resumed_at = now()
    WHERE shop_id = ${shopId} AND paused_at IS NOT NULL`);
}

/** Marks a shop whose rows are about to go, and ends all work on it. */
export async function startDeletion(db: Db, shopId: number): Promise<void> {
  await stopWork(db, shopId, 'deletion_started_at');
}

async function stopWork(db: Db, shopId: number, since: 'paused_at' | 'deletion_started_at'): Promise<void> {
  const column = sql.raw(since);
  await db.transaction(async (tx) => {
    await tx.execute(sql`
      UPDATE core.shops SET ${column} = now() WHERE shop_id = ${shopId} AND ${column} IS NULL`);
    await dropAlerts(tx, shopId);
    await revokeLease(tx, shopId);
  });
}

/**
 * Sets the zone of a shop's times, and recomputes the instants that a replay does not: those of the history.
 *
 * A local time that occurs twice, in the hour that a zone's summer time ends with, means its first occurrence, as it
 * does to the normalizers.
 */
export async function moveToZone(tx: Tx, shopId: number, from: string, to: string): Promise<void> {
  await tx.update(shops).set({ timezone: to }).where(eq(shops.shop_id, shopId));
  await tx.execute(sql`
    UPDATE core.order_history h SET source_updated_at = moved.instant
    FROM (
      SELECT order_id, seq, CASE
        WHEN (later - interval '1 hour') AT TIME ZONE ${to} = local THEN later - interval '1 hour' ELSE later
      END AS instant
      FROM (
        SELECT order_id, seq, source_updated_at AT TIME ZONE ${from} AS local,
          source_updated_at AT TIME ZONE ${from} AT TIME ZONE ${to} AS later
        FROM core.order_history WHERE shop_id = ${shopId} AND source_updated_at IS NOT NULL
      ) read_anew
    ) moved
    WHERE h.shop_id = ${shopId} AND h.order_id = moved.order_id AND h.seq = moved.seq
      AND h.source_updated_at <> moved.instant`);
  // Every time of every order means another moment.
  await tx.execute(sql`
    UPDATE core.orders SET changed_at = ${await stampChanges(tx, shopId)} WHERE shop_id = ${shopId}`);
}
