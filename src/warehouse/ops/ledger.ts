import { and, eq, isNull, or, sql } from 'drizzle-orm';

import type { LedgerDay } from '../../model/ledger-day.ts';
import type { Db, Tx } from '../db/database.ts';
import { days } from '../schema/ops.ts';
import type { FreshnessRecord } from '../schema/shop-state.ts';
import { shops } from '../schema/shops.ts';
import { upsert, valuesIn } from '../db/upsert.ts';

/**
 * The ledger of a shop, oldest day first. A day without a row was verified as empty together with the next day that has
 * one; so was everything before the first day.
 *
 * @param at when days are to be due
 * @param freshness how often each is to be verified. @default a verification does not get too old
 */
export async function readLedger(
  db: Db | Tx,
  shopId: number,
  at: Temporal.Instant,
  freshness: readonly FreshnessRecord[] = [],
): Promise<readonly LedgerDay[]> {
  const now = sql`${at.toString()}::timestamptz`;
  const target = sql`(
    SELECT r.target_seconds
    FROM jsonb_to_recordset(${JSON.stringify(freshness)}::jsonb) AS r (younger_than_days integer, target_seconds double precision)
    WHERE r.younger_than_days IS NULL OR (${now} AT TIME ZONE ${shops.timezone})::date - ${days.day} < r.younger_than_days
    ORDER BY r.younger_than_days NULLS LAST LIMIT 1)`;
  const missing = sql`(
    SELECT day, min(confirmed_at) AS confirmed_at FROM core.missing_orders WHERE shop_id = ${shopId} GROUP BY day) AS missing`;
  const rows = await db
    .select({
      row: days,
      confirmAt: sql<Temporal.Instant | null>`missing.confirmed_at`,
      isDue: sql<boolean>`ops.is_due(${days.day}, ${days.verified_at}, missing.confirmed_at, ${target}, ${shops.timezone}, ${now})`,
    })
    .from(days)
    .innerJoin(shops, eq(shops.shop_id, days.shop_id))
    .leftJoin(missing, sql`missing.day = ${days.day}`)
    .where(eq(days.shop_id, shopId))
    .orderBy(days.day);
  return rows.map(({ row, confirmAt, isDue }) => ({
    day: row.day,
    verifiedAt: row.verified_at ?? undefined,
    isDue,
    orders: row.orders_seen ?? undefined,
    ...(row.last_error !== null && {
      failure: { reason: row.last_error, retryAt: row.retry_at ?? undefined },
    }),
    confirmAt: confirmAt ?? undefined,
  }));
}

const areDays = (shopId: number, input: readonly string[]) =>
  and(eq(days.shop_id, shopId), sql`${days.day} IN ${valuesIn(input, 'date')}`);

/** Of a smallint. */
const MAX_ATTEMPTS = 32_767;

/** Days of a shop's ledger that are not verified, oldest first, and its oldest day. */
export async function readUnverified(db: Db, shopId: number) {
  const isFirst = sql`${days.day} = (SELECT min(day) FROM ops.days WHERE shop_id = ${shopId})`;
  const rows = await db
    .select({ day: days.day, isVerified: sql<boolean>`${days.verified_at} IS NOT NULL` })
    .from(days)
    .where(and(eq(days.shop_id, shopId), or(isNull(days.verified_at), isFirst)))
    .orderBy(days.day);
  const unverified = rows.flatMap(({ day, isVerified }) => (isVerified ? [] : [day]));
  return { first: rows[0], unverified };
}

type VerifiedDay = { readonly day: string; readonly verifiedAt: Temporal.Instant; readonly orders: number };

/** Marks days as verified; must run in the transaction of their last orders. */
export async function markVerified(tx: Tx, shopId: number, verified: readonly VerifiedDay[]): Promise<void> {
  const rows = verified.map(({ day, verifiedAt, orders }) => {
    const verdict = {
      verified_at: verifiedAt,
      last_verified_at: verifiedAt,
      orders_seen: orders,
      attempts: 0,
      last_error: null,
      retry_at: null,
    };
    return { shop_id: shopId, day, ...verdict };
  });
  await upsert(tx, days, rows);
}

/** Records when a reading found new, changed or missing orders on days, for those that the ledger names. */
export async function recordChanges(
  tx: Tx,
  shopId: number,
  changed: readonly string[],
  at: Temporal.Instant,
): Promise<void> {
  if (changed.length === 0) return;
  await tx.execute(sql`
    UPDATE ops.days SET changed_at = ${at.toString()} WHERE shop_id = ${shopId} AND day IN ${valuesIn(changed, 'date')}`);
}

/**
 * Records why days could not be verified. They become unverified and stay due.
 *
 * @param next from how many attempts in a row failed before, of the day with the most: how many now, and when to try again
 */
export async function recordDayFailure(
  tx: Tx,
  shopId: number,
  failed: readonly string[],
  reason: string,
  next: (before: number) => { readonly attempts: number; readonly retryAt: Temporal.Instant | undefined },
): Promise<void> {
  if (failed.length === 0) return;
  const known = await tx.select({ attempts: days.attempts }).from(days).where(areDays(shopId, failed));
  const { attempts, retryAt } = next(Math.max(0, ...known.map((row) => row.attempts)));
  const failure = {
    verified_at: null,
    attempts: Math.min(attempts, MAX_ATTEMPTS),
    last_error: reason,
    retry_at: retryAt ?? null,
  };
  const rows = [...new Set(failed)].map((day) => ({ shop_id: shopId, day, ...failure }));
  await upsert(tx, days, rows);
}

/** Adds a day that is still to be read, with everything before it; an existing day stays as it is. */
export async function announceDay(tx: Tx, shopId: number, day: Temporal.PlainDate): Promise<void> {
  await tx.insert(days).values({ shop_id: shopId, day }).onConflictDoNothing();
}

/** Makes days due, as if they had never been read; those without a row by the day that they are verified with. */
export async function makeDue(tx: Tx, shopId: number, input: readonly string[]): Promise<void> {
  if (input.length === 0) return;
  await tx.execute(sql`
    UPDATE ops.days SET verified_at = NULL
    WHERE shop_id = ${shopId} AND day IN (
      SELECT (SELECT min(n.day) FROM ops.days n WHERE n.shop_id = ${shopId} AND n.day >= g.day)
      FROM ${valuesIn(input, 'date')} AS g (day))`);
}
