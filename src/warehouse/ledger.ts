import { eq, min, sql } from 'drizzle-orm';

import type { Db, Tx } from './database.ts';
import { days } from './schema/ops.ts';
import { parseInstant } from './instant.ts';
import { upsert } from './upsert.ts';

/** One day of the ledger. */
export type LedgerEntry = {
  readonly day: Temporal.PlainDate;
  readonly verifiedAt: Temporal.Instant | undefined;
  readonly orders: number | undefined;
};

/**
 * The ledger of a shop, oldest day first. A day that it does not name was verified, empty, with the next one that it
 * names; what is older than its first day, with that.
 */
export async function readLedger(db: Db, shopId: number): Promise<readonly LedgerEntry[]> {
  const rows = await db
    .select({ day: days.day, verified_at: days.verified_at, orders_seen: days.orders_seen })
    .from(days)
    .where(eq(days.shop_id, shopId))
    .orderBy(days.day);
  return rows.map((row) => ({
    day: Temporal.PlainDate.from(row.day),
    verifiedAt: parseInstant(row.verified_at),
    orders: row.orders_seen ?? undefined,
  }));
}

/** The oldest day that the ledger of a shop names. */
export async function readFirstDay(db: Db, shopId: number): Promise<Temporal.PlainDate | undefined> {
  const [row] = await db
    .select({ first: min(days.day) })
    .from(days)
    .where(eq(days.shop_id, shopId));
  return row?.first ? Temporal.PlainDate.from(row.first) : undefined;
}

export type VerifiedDay = {
  readonly day: string;
  readonly verifiedAt: Temporal.Instant;
  readonly orders: number;
  readonly isChanged: boolean;
};

/** Writes the verdict on days that were read whole; belongs into the transaction of their last orders. */
export async function markVerified(tx: Tx, shopId: number, verified: readonly VerifiedDay[]): Promise<void> {
  const unchanged = verified.filter((day) => !day.isChanged).map((day) => ledgerRow(shopId, day));
  const changed = verified
    .filter((day) => day.isChanged)
    .map((day) => ({ ...ledgerRow(shopId, day), changed_at: day.verifiedAt.toString() }));
  await upsert(tx, days, unchanged);
  await upsert(tx, days, changed);
}

function ledgerRow(shopId: number, { day, verifiedAt, orders }: VerifiedDay) {
  const verdict = { verified_at: verifiedAt.toString(), orders_seen: orders, attempts: 0, last_error: null };
  return { shop_id: shopId, day, ...verdict };
}

/** Keeps why days could not be verified. They count as unverified from now on, and so stay due. */
export async function recordDayFailure(
  tx: Tx,
  shopId: number,
  failed: readonly Temporal.PlainDate[],
  reason: string,
): Promise<void> {
  if (failed.length === 0) return;
  await tx
    .insert(days)
    .values(failed.map((day) => ({ shop_id: shopId, day: day.toString(), attempts: 1, last_error: reason })))
    .onConflictDoUpdate({
      target: [days.shop_id, days.day],
      set: {
        verified_at: null,
        attempts: sql`least(${days.attempts} + 1, 32767)`,
        last_error: sql`excluded.last_error`,
      },
    });
}

/** Puts a day into the ledger that is still to be read, with what lies before it; one that is there stays as it is. */
export async function announceDay(tx: Tx, shopId: number, day: Temporal.PlainDate): Promise<void> {
  await tx.insert(days).values({ shop_id: shopId, day: day.toString() }).onConflictDoNothing();
}

/** Makes days due, as if they had never been verified. */
export async function makeDue(tx: Tx, shopId: number, given: readonly string[]): Promise<void> {
  await tx.execute(sql`
    UPDATE ops.days SET verified_at = NULL
    WHERE shop_id = ${shopId} AND day IN (SELECT json_array_elements_text(${JSON.stringify(given)}::json)::date)`);
}
