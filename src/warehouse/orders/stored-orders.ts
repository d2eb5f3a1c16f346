import { type SQL, sql } from 'drizzle-orm';

import type { Window } from '../../window.ts';
import type { Db } from '../db/database.ts';
import { parseInstant } from '../db/instant.ts';

/** What is held of an order, as far as a sweep needs it to decide and to write. */
export type HeldOrder = {
  readonly orderId: string;
  readonly fingerprint: string;
  readonly linesState: 'pending' | 'ok' | 'failed';
  readonly linesAttempts: number;
  /** When the lines were last asked for, with or without success. */
  readonly linesFetchedAt: Temporal.Instant | undefined;
  readonly isOpen: boolean;
  readonly isMarked: boolean;
  /** When it was marked as missing; undefined where it is live, and where it is deleted already. */
  readonly missingSince: Temporal.Instant | undefined;
  readonly isInWindow: boolean;
  /** The minute at which it was created, as it is held, such as `2026-03-01T12:30`. */
  readonly createdMinute: string | undefined;
  /** The shop's day that it is held under. */
  readonly createdOn: string | undefined;
  readonly lineCount: number;
  readonly changedAt: Temporal.Instant;
  /** The last instant at which a walk is known to have seen it as it is held. */
  readonly lastSeenAt: Temporal.Instant;
};

type Row = {
  order_id: string;
  fingerprint: string;
  lines_state: HeldOrder['linesState'];
  lines_attempts: number;
  lines_fetched_at: string | null;
  is_open: boolean;
  is_marked: boolean;
  missing_since: string | null;
  is_in_window: boolean;
  created_minute: string | null;
  created_on: string | null;
  line_count: number;
  changed_at: string;
  last_seen_at: string;
};

/** Which orders to read: those of a window, and, where the list was asked for without dates, those that have none. */
export type HeldWindow = {
  readonly from: Temporal.PlainDateTime;
  readonly to: Temporal.PlainDateTime;
  readonly isUndated?: boolean;
};

/**
 * The orders that are held in a window or listed by the shop, wherever they were held before.
 *
 * @param window half-open, shop-local
 * @param listed identifiers that the walk returned
 */
export async function readHeldOrders(
  db: Db,
  shopId: number,
  window: HeldWindow,
  listed: readonly string[],
): Promise<readonly HeldOrder[]> {
  const [from, to] = [window.from.toString(), window.to.toString()];
  const isInWindow = window.isUndated
    ? sql`(created_local >= ${from} AND created_local < ${to} OR created_local IS NULL)`
    : sql`(created_local >= ${from} AND created_local < ${to})`;
  return readOrders(
    db,
    shopId,
    sql`
      SELECT order_id, true AS is_in_window FROM core.orders WHERE shop_id = ${shopId} AND ${isInWindow}
      UNION ALL
      SELECT o.order_id, false FROM ${idsIn(listed)} JOIN core.orders o ON o.shop_id = ${shopId} AND o.order_id = id
      WHERE ${isInWindow} IS NOT TRUE`,
  );
}

/** The orders that are held of some identifiers. */
export async function readOrdersById(
  db: Db,
  shopId: number,
  orderIds: readonly string[],
): Promise<readonly HeldOrder[]> {
  if (orderIds.length === 0) return [];
  return readOrders(db, shopId, sql`SELECT id AS order_id, false AS is_in_window FROM ${idsIn(orderIds)}`);
}

function idsIn(orderIds: readonly string[]): SQL {
  return sql`(SELECT text::bigint AS id FROM json_array_elements_text(${JSON.stringify(orderIds)}::json) AS text) ids`;
}

/** @param wanted a query of `order_id` and `is_in_window` */
async function readOrders(db: Db, shopId: number, wanted: SQL): Promise<readonly HeldOrder[]> {
  const { rows } = await db.execute<Row>(sql`
    WITH wanted AS (${wanted})
    SELECT o.order_id, o.fingerprint, o.lines_state, o.lines_attempts, o.lines_fetched_at,
      NOT s.is_final AS is_open,
      o.missing_since IS NOT NULL OR o.deleted_at IS NOT NULL AS is_marked,
      CASE WHEN o.deleted_at IS NULL THEN o.missing_since END AS missing_since, o.created_on,
      (SELECT count(*)::int FROM core.order_lines l WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id) AS line_count,
      wanted.is_in_window, o.changed_at, to_char(o.created_local, 'YYYY-MM-DD"T"HH24:MI') AS created_minute,
      CASE WHEN o.missing_since IS NULL THEN greatest(o.changed_at, d.verified_at) ELSE o.changed_at END AS last_seen_at
    FROM wanted JOIN core.orders o ON o.shop_id = ${shopId} AND o.order_id = wanted.order_id
    JOIN core.order_statuses s ON s.shop_id = o.shop_id AND s.status_code = o.status_code
    LEFT JOIN ops.days d ON d.shop_id = o.shop_id AND d.day = o.created_on`);
  return rows.map((row) => ({
    orderId: row.order_id,
    fingerprint: row.fingerprint,
    linesState: row.lines_state,
    linesAttempts: row.lines_attempts,
    linesFetchedAt: parseInstant(row.lines_fetched_at),
    isOpen: row.is_open,
    isMarked: row.is_marked,
    missingSince: parseInstant(row.missing_since),
    isInWindow: row.is_in_window,
    createdMinute: row.created_minute ?? undefined,
    createdOn: row.created_on ?? undefined,
    lineCount: row.line_count,
    changedAt: parseInstant(row.changed_at),
    lastSeenAt: parseInstant(row.last_seen_at),
  }));
}

/** The minute of the oldest live order that has a date; undefined where none is held. */
export async function readOldestOrder(db: Db, shopId: number): Promise<Temporal.PlainDateTime | undefined> {
  return readNeighbour(db, shopId, 'after', Temporal.PlainDateTime.from('0001-01-01T00:00'), 1);
}

/**
 * The minute of the nth live order before a time, counted back, or at or after it, counted on; of the farthest one where
 * there are fewer. Undefined where there is none.
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
  const { rows } = await db.execute<{ created: string }>(sql`
    SELECT to_char(created_local, 'YYYY-MM-DD"T"HH24:MI') AS created FROM core.orders
    WHERE shop_id = ${shopId} AND missing_since IS NULL AND deleted_at IS NULL AND ${beyond}
    ORDER BY ${order} LIMIT ${nth}`);
  const created = rows.at(-1)?.created;
  return created === undefined ? undefined : Temporal.PlainDateTime.from(created);
}

/** An order, and the shop-local time at which it was placed. */
export type PlacedOrder = { readonly orderId: string; readonly createdLocal: Temporal.PlainDateTime };

/**
 * The newest live orders that have a date.
 *
 * @param where leaves out those placed in a window, and those that were first seen at an instant or later
 */
export async function readNewestOrders(
  db: Db,
  shopId: number,
  limit: number,
  where?: { readonly except: Window; readonly seenBefore: Temporal.Instant },
): Promise<readonly PlacedOrder[]> {
  const isWanted =
    where === undefined
      ? sql`true`
      : sql`first_seen_at < ${where.seenBefore.toString()}
        AND NOT (created_local >= ${where.except.from.toString()} AND created_local < ${where.except.to.toString()})`;
  const { rows } = await db.execute<{ order_id: string; created: string }>(sql`
    SELECT order_id, to_char(created_local, 'YYYY-MM-DD"T"HH24:MI:SS') AS created FROM core.orders
    WHERE shop_id = ${shopId} AND created_local IS NOT NULL AND missing_since IS NULL AND deleted_at IS NULL
      AND ${isWanted}
    ORDER BY created_local DESC LIMIT ${limit}`);
  return rows.map((row) => ({
    orderId: row.order_id,
    createdLocal: Temporal.PlainDateTime.from(row.created),
  }));
}
