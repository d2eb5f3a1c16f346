import { type SQL, sql } from 'drizzle-orm';

import type { StoredOrder } from '../../model/stored-order.ts';
import type { Window } from '../../model/window.ts';
import type { Db, Tx } from '../db/database.ts';
import type { RowOf } from '../db/instant.ts';
import { IS_LIVE } from './live-orders.ts';

/** A stored order, as far as a sweep needs it. */
export type HeldOrder = StoredOrder & {
  /** When it was marked as missing; undefined if it is live or deleted. */
  readonly missingSince: Temporal.Instant | undefined;
  /** Such as `2026-03-01T12:30`. */
  readonly createdMinute: string | undefined;
  /** The shop's day. */
  readonly createdOn: string | undefined;
  readonly observedAt: Temporal.Instant;
  /** The last time a walk is known to have seen it in its stored state. */
  readonly lastSeenAt: Temporal.Instant;
};

export function isDeleted({ isMarked, missingSince }: HeldOrder): boolean {
  return isMarked && missingSince === undefined;
}

/**
 * The orders that are stored in a window, or listed by the shop and stored anywhere.
 *
 * @param listed ids that the walk returned
 */
export async function readHeldOrders(
  db: Db | Tx,
  shopId: number,
  window: Window,
  listed: readonly string[],
): Promise<readonly HeldOrder[]> {
  const [from, to] = [window.from.toString(), window.to.toString()];
  const isInWindow = sql`(created_local >= ${from} AND created_local < ${to})`;
  return readOrders(db, shopId, isInWindow, listed);
}

/** Those without a date, which no window shows. */
export async function readUndatedOrders(db: Db, shopId: number): Promise<readonly HeldOrder[]> {
  return readOrders(db, shopId, sql`created_local IS NULL`, []);
}

export async function readOrdersById(
  db: Db,
  shopId: number,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, HeldOrder>> {
  const orders = orderIds.length === 0 ? [] : await readOrders(db, shopId, sql`false`, orderIds);
  return new Map(orders.map((order) => [order.orderId, order]));
}

/**
 * Statistics may not know of a new shop, and a join is planned for one row then: what is quadratic for many is left out.
 *
 * @param orderIds besides those in the window
 */
async function readOrders(
  db: Db | Tx,
  shopId: number,
  isInWindow: SQL,
  orderIds: readonly string[],
): Promise<readonly HeldOrder[]> {
  const { rows } = await db.execute<RowOf<HeldOrder>>(sql`
    SELECT o.order_id AS "orderId", o.fingerprint, o.lines_state AS "linesState", o.lines_attempts AS "linesAttempts",
      o.lines_fetched_at AS "linesFetchedAt", NOT s.is_final AS "isOpen",
      o.missing_since IS NOT NULL OR o.deleted_at IS NOT NULL AS "isMarked",
      CASE WHEN o.deleted_at IS NULL THEN o.missing_since END AS "missingSince", ${isInWindow} IS TRUE AS "isInWindow",
      to_char(o.created_local, 'YYYY-MM-DD"T"HH24:MI') AS "createdMinute", o.created_on AS "createdOn",
      o.observed_at AS "observedAt",
      CASE WHEN o.missing_since IS NULL THEN greatest(o.observed_at, d.verified_at) ELSE o.observed_at END AS "lastSeenAt"
    FROM core.orders o
    JOIN core.order_statuses s ON s.shop_id = o.shop_id AND s.status_code = o.status_code
    LEFT JOIN ops.days d ON d.shop_id = o.shop_id AND d.day = o.created_on
    WHERE o.shop_id = ${shopId} AND (${isInWindow} OR o.order_id = ANY (${`{${orderIds.join(',')}}`}::bigint[]))`);
  return rows.map((row) => ({
    ...row,
    linesFetchedAt: row.linesFetchedAt ?? undefined,
    missingSince: row.missingSince ?? undefined,
    createdMinute: row.createdMinute ?? undefined,
    createdOn: row.createdOn ?? undefined,
  }));
}

/**
 * The minute of the nth live order before a time, or at or after it; of the farthest one where there are fewer, and
 * undefined where there is none.
 */
export async function readNeighbour(
  db: Db,
  shopId: number,
  side: 'before' | 'after',
  time: Temporal.PlainDateTime,
  nth: number,
): Promise<Temporal.PlainDateTime | undefined> {
  const [beyond, order] =
    side === 'before'
      ? [sql`created_local < ${time.toString()}`, sql`created_local DESC`]
      : [sql`created_local >= ${time.toString()}`, sql`created_local`];
  const { rows } = await db.execute<{ minute: Temporal.PlainDateTime }>(sql`
    SELECT date_trunc('minute', created_local) AS minute FROM core.orders
    WHERE shop_id = ${shopId} AND ${IS_LIVE} AND ${beyond}
    ORDER BY ${order} LIMIT ${nth}`);
  return rows.at(-1)?.minute;
}

export type PlacedOrder = { readonly orderId: string; readonly createdLocal: Temporal.PlainDateTime };

/** The newest live orders with a date. */
export async function readNewestOrders(
  db: Db,
  shopId: number,
  limit: number,
): Promise<readonly PlacedOrder[]> {
  const { rows } = await db.execute<PlacedOrder>(sql`
    SELECT order_id AS "orderId", created_local AS "createdLocal" FROM core.orders
    WHERE shop_id = ${shopId} AND created_local IS NOT NULL AND ${IS_LIVE}
    ORDER BY created_local DESC LIMIT ${limit}`);
  return rows;
}

/** The latest order by the shop's own time. @param until excludes orders dated later */
export async function readNewestOrder(db: Db, shopId: number, until: Temporal.PlainDateTime) {
  const { rows } = await db.execute<{
    createdLocal: Temporal.PlainDateTime;
    firstSeenAt: Temporal.Instant;
  }>(sql`
    SELECT created_local AS "createdLocal", first_seen_at AS "firstSeenAt" FROM core.orders
    WHERE shop_id = ${shopId} AND created_local <= ${until.toString()}::timestamp AND deleted_at IS NULL
    ORDER BY created_local DESC LIMIT 1`);
  return rows[0];
}
