/** Stored orders, as a sweep decides by them. */
import { type SQL, sql } from 'drizzle-orm';

import type { Window } from '../../model/window.ts';
import type { Db, Tx } from '../db/database.ts';
import { recordset } from '../db/upsert.ts';
import { IS_LIVE } from './live-orders.ts';
import type { LinesState } from './load-lines.ts';

export type StoredOrder = {
  readonly orderId: string;
  readonly fingerprint: string;
  readonly linesState: LinesState;
  readonly linesAttempts: number;
  /** Marked as missing or deleted. */
  readonly isMarked: boolean;
  /** When it was marked as missing; null if it is live or deleted. */
  readonly missingSince: Temporal.Instant | null;
  readonly createdMinute: Temporal.PlainDateTime | null;
  /** The shop's day. */
  readonly createdOn: string | null;
  readonly observedAt: Temporal.Instant;
  /** The last time a walk is known to have seen it in its stored state. */
  readonly lastSeenAt: Temporal.Instant;
  /** How long no list has shown it, though it is not known to be gone, by the database's clock; null where that is resolved. */
  readonly unresolvedMs: number | null;
};

export const isDeleted = ({ isMarked, missingSince }: StoredOrder) => isMarked && missingSince === null;

const STORED_COLUMNS = sql.raw(`
  o.order_id AS "orderId", o.fingerprint, o.lines_state AS "linesState", o.lines_attempts AS "linesAttempts",
  o.missing_since IS NOT NULL OR o.deleted_at IS NOT NULL AS "isMarked",
  CASE WHEN o.deleted_at IS NULL THEN o.missing_since END AS "missingSince",
  date_trunc('minute', o.created_local) AS "createdMinute", o.created_on AS "createdOn",
  o.observed_at AS "observedAt",
  CASE WHEN o.missing_since IS NULL THEN greatest(o.observed_at, d.verified_at) ELSE o.observed_at END AS "lastSeenAt",
  (extract(epoch FROM now() - unresolved.since) * 1000)::float8 AS "unresolvedMs"`);

/** Orders `o`, to be asked for by their shop. */
const STORED_ORDERS = sql.raw(`core.orders o
  LEFT JOIN ops.days d ON d.shop_id = o.shop_id AND d.day = o.created_on
  LEFT JOIN ops.due unresolved ON unresolved.shop_id = o.shop_id AND unresolved.kind = 'missing' AND unresolved.key = o.order_id::text`);

const isOneOf = (orderIds: readonly string[]) =>
  sql`o.order_id = ANY (${`{${orderIds.join(',')}}`}::bigint[])`;

/** Those without a date, or with one that no window reaches. @param end of all windows */
export async function readUndatedOrders(
  db: Db,
  shopId: number,
  end: Temporal.PlainDateTime,
): Promise<readonly StoredOrder[]> {
  return readOrders(db, shopId, sql`(o.created_local IS NULL OR o.created_local >= ${end.toString()})`);
}

export async function readOrdersById(
  db: Db,
  shopId: number,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, StoredOrder>> {
  const orders = await readOrders(db, shopId, isOneOf(orderIds));
  return new Map(orders.map((order) => [order.orderId, order]));
}

async function readOrders(db: Db, shopId: number, isAsked: SQL): Promise<readonly StoredOrder[]> {
  const { rows } = await db.execute<StoredOrder>(sql`
    SELECT ${STORED_COLUMNS} FROM ${STORED_ORDERS} WHERE o.shop_id = ${shopId} AND ${isAsked}`);
  return rows;
}

export type ListedOrder = { readonly orderId: string; readonly fingerprint: string };

/**
 * `lines`: the row is the same, but the lines are due again. `returned`: it is the same, and counted as missing so far.
 * `seen`: it is the same, and was unresolved. `unlisted`: stored in the window, not deleted, and not listed.
 */
type OrderChange = 'new' | 'changed' | 'lines' | 'returned' | 'seen' | 'unlisted';

export type DifferingOrder = {
  readonly orderId: string;
  readonly change: OrderChange;
  /** Undefined where it is new. */
  readonly stored: StoredOrder | undefined;
  /** Live orders that are stored in the window. */
  readonly live: number;
};

/**
 * Compares listed orders with the stored ones. A full join is never planned as nested loops, which statistics that do not know a new
 * shop would suggest.
 *
 * @param window of which all orders were listed. @default none: no order is unlisted
 * @param linesBefore lines of an open order that were fetched before are due again
 * @returns those that differ
 */
export async function diffOrders(
  db: Db | Tx,
  shopId: number,
  listed: readonly ListedOrder[],
  window: Window | undefined,
  linesBefore: Temporal.Instant,
): Promise<readonly DifferingOrder[]> {
  if (listed.length === 0 && window === undefined) return [];
  const isInWindow = window
    ? sql`(o.created_local >= ${window.from.toString()} AND o.created_local < ${window.to.toString()})`
    : sql`false`;
  const input = listed.map(({ orderId, fingerprint }) => ({ orderId, print: fingerprint }));
  const { rows } = await db.execute<StoredOrder & Omit<DifferingOrder, 'stored'>>(sql`
    WITH input AS MATERIALIZED (SELECT * FROM ${recordset({ orderId: 'bigint', print: 'text' }, input)}),
    stored AS MATERIALIZED (
      SELECT ${STORED_COLUMNS}, ${isInWindow} IS TRUE AS in_window,
        NOT s.is_final AND o.lines_state IN ('ok', 'doubtful') AND o.lines_fetched_at <= ${linesBefore.toString()} AS are_lines_due
      FROM ${STORED_ORDERS}
      JOIN core.order_statuses s ON s.shop_id = o.shop_id AND s.status_code = o.status_code
      WHERE o.shop_id = ${shopId} AND (${isInWindow} OR ${isOneOf(listed.map(({ orderId }) => orderId))})),
    compared AS (
      SELECT *,
        CASE WHEN fingerprint IS NULL THEN 'new'
          WHEN print IS NULL THEN CASE WHEN NOT "isMarked" OR "missingSince" IS NOT NULL THEN 'unlisted' END
          WHEN fingerprint <> print THEN 'changed'
          WHEN are_lines_due THEN 'lines'
          WHEN "isMarked" THEN 'returned'
          WHEN "unresolvedMs" IS NOT NULL THEN 'seen' END AS change,
        count(*) FILTER (WHERE in_window AND NOT "isMarked") OVER ()::int AS live
      FROM input FULL JOIN stored USING ("orderId"))
    SELECT * FROM compared WHERE change IS NOT NULL`);
  return rows.map(({ change, live, ...stored }) => {
    return { orderId: stored.orderId, change, stored: change === 'new' ? undefined : stored, live };
  });
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
