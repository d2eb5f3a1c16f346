import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { days } from '../schema/ops.ts';
import { parseInstant } from '../db/instant.ts';
import { upsert } from '../db/upsert.ts';

/** One day of the ledger. */
export type LedgerEntry = {
  readonly day: Temporal.PlainDate;
  readonly verifiedAt: Temporal.Instant | undefined;
  readonly orders: number | undefined;
  /** What was read of it since, by a pass that is still under way. */
  readonly part?: LedgerPart | undefined;
};

/** The newer part of a day, read by proven windows. */
export type LedgerPart = {
  readonly readFrom: Temporal.PlainDateTime;
  /** When its first window was asked for. */
  readonly since: Temporal.Instant;
  readonly orders: number;
  readonly isRestless: boolean;
  /** The digest of the day's orders as they were held when the part was written: see `readHeldDigest`. */
  readonly held: string;
};

/**
 * The ledger of a shop, oldest day first. A day that it does not name was verified, empty, with the next one that it
 * names; what is older than its first day, with that.
 */
export async function readLedger(db: Db, shopId: number): Promise<readonly LedgerEntry[]> {
  const rows = await db.select().from(days).where(eq(days.shop_id, shopId)).orderBy(days.day);
  return rows.map((row) => ({
    day: Temporal.PlainDate.from(row.day),
    verifiedAt: parseInstant(row.verified_at),
    orders: row.orders_seen ?? undefined,
    part: partOf(row),
  }));
}

function partOf(row: typeof days.$inferSelect): LedgerPart | undefined {
  const { read_from, read_since, read_orders, read_restless, read_held } = row;
  if (read_from === null || read_since === null || read_held === null) return undefined;
  return {
    readFrom: Temporal.PlainDateTime.from(read_from),
    since: parseInstant(read_since),
    orders: read_orders ?? 0,
    isRestless: read_restless !== false,
    held: read_held,
  };
}

const NO_PART = {
  read_from: null,
  read_since: null,
  read_orders: null,
  read_restless: null,
  read_held: null,
};

/** Days of a shop's ledger that are not verified, oldest first, and its oldest day. */
export async function readUnverified(
  db: Db,
  shopId: number,
): Promise<{ readonly first: LedgerDay | undefined; readonly unverified: readonly Temporal.PlainDate[] }> {
  const { rows } = await db.execute<{ day: string; is_verified: boolean }>(sql`
    SELECT day, verified_at IS NOT NULL AS is_verified FROM ops.days
    WHERE shop_id = ${shopId}
      AND (verified_at IS NULL OR day = (SELECT min(day) FROM ops.days WHERE shop_id = ${shopId}))
    ORDER BY day`);
  const days = rows.map((row) => ({ day: Temporal.PlainDate.from(row.day), isVerified: row.is_verified }));
  const unverified = days.filter(({ isVerified }) => !isVerified).map(({ day }) => day);
  return { first: days[0], unverified };
}

type LedgerDay = { readonly day: Temporal.PlainDate; readonly isVerified: boolean };

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
  return { shop_id: shopId, day, ...verdict, ...NO_PART };
}

/** Keeps why days could not be verified. They count as unverified from now on, and so stay due; what was read of them stays read. */
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

/**
 * Keeps how far a day was read, and how the whole day is held now; belongs into the transaction of the part's last orders.
 */
export async function savePart(
  tx: Tx,
  shopId: number,
  day: string,
  part: Omit<LedgerPart, 'held'>,
): Promise<void> {
  const read = {
    read_from: part.readFrom.toString(),
    read_since: part.since.toString(),
    read_orders: part.orders,
    read_restless: part.isRestless,
    read_held: await readHeldDigest(tx, shopId, day),
  };
  await upsert(tx, days, [{ shop_id: shopId, day, ...read }]);
}

/** Forgets how far days were read: they are read from their end again. */
export async function dropParts(tx: Tx, shopId: number, given: readonly string[]): Promise<void> {
  await tx
    .update(days)
    .set(NO_PART)
    .where(and(eq(days.shop_id, shopId), inArray(days.day, [...given]), isNotNull(days.read_from)));
}

/** A digest of the live orders of a day, and of the minutes that they are held at. */
export async function readHeldDigest(db: Db | Tx, shopId: number, day: string): Promise<string> {
  const { rows } = await db.execute<{ digest: string }>(sql`
    SELECT count(*) || ':' || coalesce(bit_xor(hashtextextended(order_id || '@' || created_local, 0)), 0) AS digest
    FROM core.orders
    WHERE shop_id = ${shopId} AND created_local >= ${day}::date AND created_local < ${day}::date + 1
      AND missing_since IS NULL AND deleted_at IS NULL`);
  return rows[0]?.digest ?? '';
}

/** Makes days due, as if they had never been verified, and no part of them had been read. */
export async function makeDue(tx: Tx, shopId: number, given: readonly string[]): Promise<void> {
  await tx.execute(sql`
    UPDATE ops.days SET verified_at = NULL
    WHERE shop_id = ${shopId} AND day IN (SELECT json_array_elements_text(${JSON.stringify(given)}::json)::date)`);
  await dropParts(tx, shopId, given);
}
