/** What becomes of a registered shop: retired and restored, paused and resumed, renamed, moved to another time zone, marked for deletion. */
import { eq, type SQL, sql } from 'drizzle-orm';

import { TerminalError } from '../../errors.ts';
import { nextStep } from '../../next-step.ts';
import type { Db, Tx } from '../db/database.ts';
import { giveUpAlerts } from '../ops/alerts.ts';
import { revokeLease } from '../ops/lease.ts';
import { shops } from '../schema/shops.ts';
import { stampChanges } from '../ops/change-stamp.ts';
import { ORDER_TOTALS } from '../orders/live-orders.ts';

/** A shop as `order-sync shops` lists it. */
export type ListedShop = {
  readonly shop: string;
  readonly base_url: string;
  readonly timezone: string;
  /** Orders in the warehouse, without deleted ones. */
  readonly orders: number;
  readonly retired_at: string | null;
  readonly paused_at: string | null;
  readonly deletion_started_at: string | null;
};

export async function listShopsWithOrders(db: Db): Promise<readonly ListedShop[]> {
  const { rows } = await db.execute<ListedShop>(sql`
    SELECT s.shop_key AS shop, s.base_url, s.timezone, coalesce(o.orders, 0)::int AS orders,
      to_json(s.retired_at) #>> '{}' AS retired_at, to_json(s.paused_at) #>> '{}' AS paused_at,
      to_json(s.deletion_started_at) #>> '{}' AS deletion_started_at
    FROM core.shops s
    LEFT JOIN (SELECT shop_id, sum(orders) AS orders FROM ${ORDER_TOTALS} GROUP BY shop_id) o USING (shop_id)
    ORDER BY s.shop_key`);
  return rows;
}

/** Ends all work on a shop, at once and for good. What was loaded stays. Harmless for a shop that is retired already. */
export const retireShop = (db: Db, shopId: number) => stopShop(db, shopId, sql`retired_at`);

/** Ends all work on a shop, at once, until it is resumed. Harmless for a shop that is paused already. */
export const pauseShop = (db: Db, shopId: number) => stopShop(db, shopId, sql`paused_at`);

async function stopShop(db: Db, shopId: number, mark: SQL): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(
      sql`UPDATE core.shops SET ${mark} = now() WHERE shop_id = ${shopId} AND ${mark} IS NULL`,
    );
    await giveUpAlerts(tx, shopId);
    await revokeLease(tx, shopId);
  });
}

/** Lets a paused shop be synced again: the next sweep of a worker does. @throws TerminalError for a retired one */
export async function resumeShop(db: Db, shopId: number): Promise<void> {
  const refusal = `it was retired: ${nextStep('restore shop')} brings it back`;
  await startShop(db, shopId, sql`retired_at IS NULL`, refusal);
}

/** Lets a retired shop be synced again, even if it was paused before. @throws TerminalError when its deletion has begun */
export async function restoreShop(db: Db, shopId: number): Promise<void> {
  const refusal = `its deletion has begun, and cannot be undone: run ${nextStep('finish deletion')} to finish it`;
  await startShop(db, shopId, sql`deletion_started_at IS NULL`, refusal);
}

/** A shop that was not stopped keeps its alerts. */
async function startShop(db: Db, shopId: number, condition: SQL, refusal: string): Promise<void> {
  const { rowCount } = await db.execute(sql`
    UPDATE core.shops SET retired_at = NULL, paused_at = NULL,
      resumed_at = CASE WHEN coalesce(retired_at, paused_at) IS NULL THEN resumed_at ELSE now() END
    WHERE shop_id = ${shopId} AND ${condition}`);
  if (rowCount === 0) throw new TerminalError(refusal);
}

/** Marks a shop whose rows are about to go, and ends all work on it. */
export async function startDeletion(db: Db, shopId: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`
      UPDATE core.shops SET retired_at = coalesce(retired_at, now()),
        deletion_started_at = coalesce(deletion_started_at, now())
      WHERE shop_id = ${shopId}`);
    await revokeLease(tx, shopId);
  });
}

/**
 * Gives a shop another key. The former one stays reserved, so that a program that still uses it cannot register a second
 * shop by it.
 *
 * @throws TerminalError when another shop has the key, or had it
 */
export async function renameShop(db: Db, shopId: number, from: string, to: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [taken] = await tx
      .select()
      .from(shops)
      .where(sql`shop_id <> ${shopId} AND (shop_key = ${to} OR ${to} = ANY (former_keys))`);
    if (taken !== undefined) {
      const owner =
        taken.shop_key === to ? 'is the key of another shop' : `was the key of shop ${taken.shop_key}`;
      throw new TerminalError(`${to} ${owner}: choose another`);
    }
    await tx
      .update(shops)
      .set({ shop_key: to, former_keys: sql`array_append(array_remove(former_keys, ${to}), ${from})` })
      .where(eq(shops.shop_id, shopId));
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
    UPDATE core.orders SET row_changed_at = ${await stampChanges(tx, shopId)} WHERE shop_id = ${shopId}`);
}
