import { type SQL, sql } from 'drizzle-orm';

import type { Db } from '../db/database.ts';
import type { RowOf } from '../db/rows.ts';
import { IS_LIVE } from './live-orders.ts';
import type { LinesState } from './load-lines.ts';

/** A stored order, as far as a sweep needs it. */
export type HeldOrder = {
  readonly orderId: string;
  readonly fingerprint: string;
  readonly linesState: LinesState;
  readonly linesAttempts: number;
  /** Marked as missing or deleted. */
  readonly isMarked: boolean;
  /** When it was marked as missing; undefined if it is live or deleted. */
  readonly missingSince: Temporal.Instant | undefined;
  /** Such as `2026-03-01T12:30`. */
  readonly createdMinute: string | undefined;
  /** The shop's day. */
  readonly createdOn: string | undefined;
  readonly observedAt: Temporal.Instant;
  /** The last time a walk is known to have seen it in its stored state. */
  readonly lastSeenAt: Temporal.Instant;
  /** How long no list has shown it, though it is not known to be gone, by the database's clock; undefined where it is not in doubt. */
  readonly doubtedMs: number | undefined;
};

export function isDeleted({ isMarked, missingSince }: HeldOrder): boolean {
  return isMarked && missingSince === undefined;
}

/** Of {@link HELD_ORDERS}. */
export const HELD_COLUMNS = sql.raw(`
  o.order_id AS "orderId", o.fingerprint, o.lines_state AS "linesState", o.lines_attempts AS "linesAttempts",
  o.missing_since IS NOT NULL OR o.deleted_at IS NOT NULL AS "isMarked",
  CASE WHEN o.deleted_at IS NULL THEN o.missing_since END AS "missingSince",
  to_char(o.created_local, 'YYYY-MM-DD"T"HH24:MI') AS "createdMinute", o.created_on AS "createdOn",
  o.observed_at AS "observedAt",
  CASE WHEN o.missing_since IS NULL THEN greatest(o.observed_at, d.verified_at) ELSE o.observed_at END AS "lastSeenAt",
  (extract(epoch FROM now() - doubt.since) * 1000)::float8 AS "doubtedMs"`);

/** Orders `o`, to be asked for by their shop. */
export const HELD_ORDERS = sql.raw(`core.orders o
  LEFT JOIN ops.days d ON d.shop_id = o.shop_id AND d.day = o.created_on
  LEFT JOIN ops.due doubt ON doubt.shop_id = o.shop_id AND doubt.kind = 'missing' AND doubt.key = o.order_id::text`);

export function toHeldOrder(row: RowOf<HeldOrder>): HeldOrder {
  return {
    ...row,
    missingSince: row.missingSince ?? undefined,
    createdMinute: row.createdMinute ?? undefined,
    createdOn: row.createdOn ?? undefined,
    doubtedMs: row.doubtedMs ?? undefined,
  };
}

/** Those without a date, or with one that no window reaches. @param end of all windows */
export async function readUndatedOrders(
  db: Db,
  shopId: number,
  end: Temporal.PlainDateTime,
): Promise<readonly HeldOrder[]> {
  return readOrders(db, shopId, sql`(o.created_local IS NULL OR o.created_local >= ${end.toString()})`);
}

export async function readOrdersById(
  db: Db,
  shopId: number,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, HeldOrder>> {
  const isAsked = sql`o.order_id = ANY (${`{${orderIds.join(',')}}`}::bigint[])`;
  const orders = orderIds.length === 0 ? [] : await readOrders(db, shopId, isAsked);
  return new Map(orders.map((order) => [order.orderId, order]));
}

async function readOrders(db: Db, shopId: number, isAsked: SQL): Promise<readonly HeldOrder[]> {
  const { rows } = await db.execute<RowOf<HeldOrder>>(sql`
    SELECT ${HELD_COLUMNS} FROM ${HELD_ORDERS}
    WHERE o.shop_id = ${shopId} AND ${isAsked}`);
  return rows.map(toHeldOrder);
}

/** A live order with a date, and when it was first seen. */
type PlacedOrder = {
  readonly orderId: string;
  readonly createdLocal: Temporal.PlainDateTime;
  readonly firstSeenAt: Temporal.Instant;
};

/** Live orders before a time, or at or after it, the nearest first. @param time undefined: the newest, or the oldest */
export async function readNeighbours(
  db: Db,
  shopId: number,
  side: 'before' | 'after',
  time: Temporal.PlainDateTime | undefined,
  limit: number,
): Promise<readonly PlacedOrder[]> {
  const [beyond, order] =
    side === 'before'
      ? [sql`created_local < ${time?.toString() ?? 'infinity'}`, sql`created_local DESC`]
      : [sql`created_local >= ${time?.toString() ?? '-infinity'}`, sql`created_local`];
  const { rows } = await db.execute<PlacedOrder>(sql`
    SELECT order_id AS "orderId", created_local AS "createdLocal", first_seen_at AS "firstSeenAt" FROM core.orders
    WHERE shop_id = ${shopId} AND ${IS_LIVE} AND ${beyond}
    ORDER BY ${order} LIMIT ${limit}`);
  return rows;
}
