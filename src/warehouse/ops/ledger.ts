import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';

import type { Db, Tx } from '../db/database.ts';
import { days } from '../schema/ops.ts';
import { parseInstant } from '../db/instant.ts';
import { upsert, valuesIn } from '../db/upsert.ts';

/** One day of the ledger. */
export type LedgerEntry = {
  readonly day: Temporal.PlainDate;
  readonly verifiedAt: Temporal.Instant | undefined;
  readonly orders: number | undefined;
  /** The last attempt to verify it failed. */
  readonly hasFailed?: boolean;
  /** What was read since, by a pass that is not finished. */
  readonly part?: LedgerPart | undefined;
};

/** The later part of a day, read by proven windows. */
export type LedgerPart = {
  readonly readFrom: Temporal.PlainDateTime;
  /** When its first window was requested. */
  readonly since: Temporal.Instant;
  readonly orders: number;
  readonly isRestless: boolean;
  /** Digest of the day's stored orders when the part was saved: see `readHeldDigest`. */
  readonly held: string;
};

/**
 * The ledger of a shop, oldest day first. A day without a row was verified as empty together with the next day that has
 * one; so was everything before the first day.
 */
export async function readLedger(db: Db | Tx, shopId: number): Promise<readonly LedgerEntry[]> {
  const rows = await db.select().from(days).where(eq(days.shop_id, shopId)).orderBy(days.day);
  return rows.map((row) => ({
    day: Temporal.PlainDate.from(row.day),
    verifiedAt: parseInstant(row.verified_at),
    orders: row.orders_seen ?? undefined,
    ...(row.last_error !== null && { hasFailed: true }),
    part: parsePart(row),
  }));
}

function parsePart(row: typeof days.$inferSelect): LedgerPart | undefined {
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

/** Marks days as verified, and drops their saved parts; must run in the transaction of their last orders. */
export async function markVerified(tx: Tx, shopId: number, verified: readonly VerifiedDay[]): Promise<void> {
  const row = ({ day, verifiedAt, orders, isChanged }: VerifiedDay) => {
    const verdict = {
      verified_at: verifiedAt.toString(),
      orders_seen: orders,
      attempts: 0,
      last_error: null,
    };
    const changed = isChanged ? { changed_at: verifiedAt.toString() } : {};
    return { shop_id: shopId, day, ...verdict, ...NO_PART, ...changed };
  };
  // Two statements, since the rows of one must have the same columns.
  await upsert(tx, days, verified.filter((day) => !day.isChanged).map(row));
  await upsert(tx, days, verified.filter((day) => day.isChanged).map(row));
}

/** Records why days could not be verified. They become unverified and stay due; their saved parts stay. */
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

/** Adds a day that is still to be read, with everything before it; an existing day stays as it is. */
export async function announceDay(tx: Tx, shopId: number, day: Temporal.PlainDate): Promise<void> {
  await tx.insert(days).values({ shop_id: shopId, day: day.toString() }).onConflictDoNothing();
}

/** Saves how far a day was read, and the digest of its stored orders; must run in the transaction of the part's last orders. */
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

/** Drops saved parts: the days are read from their end again. */
export async function dropParts(tx: Tx, shopId: number, given: readonly string[]): Promise<void> {
  if (given.length === 0) return;
  await tx
    .update(days)
    .set(NO_PART)
    .where(and(eq(days.shop_id, shopId), inArray(days.day, [...given]), isNotNull(days.read_from)));
}

/** A digest of the live orders of a day and their creation minutes. */
export async function readHeldDigest(db: Db | Tx, shopId: number, day: string): Promise<string> {
  const { rows } = await db.execute<{ digest: string }>(sql`
    SELECT count(*) || ':' || coalesce(bit_xor(hashtextextended(order_id || '@' || created_local, 0)), 0) AS digest
    FROM core.orders
    WHERE shop_id = ${shopId} AND created_local >= ${day}::date AND created_local < ${day}::date + 1
      AND missing_since IS NULL AND deleted_at IS NULL`);
  return rows[0]?.digest ?? '';
}

/** Makes days due, as if they had never been read. */
export async function makeDue(tx: Tx, shopId: number, given: readonly string[]): Promise<void> {
  if (given.length === 0) return;
  await tx.execute(sql`
    UPDATE ops.days SET verified_at = NULL
    WHERE shop_id = ${shopId} AND day IN ${valuesIn(given, 'date')}`);
  await dropParts(tx, shopId, given);
}
