import { sql } from 'drizzle-orm';

import type { Db } from './database.ts';
import { parseInstant } from './instant.ts';

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
  created_on: string | null;
  line_count: number;
  changed_at: string;
  last_seen_at: string;
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
  window: { readonly from: Temporal.PlainDateTime; readonly to: Temporal.PlainDateTime },
  listed: readonly string[],
): Promise<readonly HeldOrder[]> {
  const [from, to] = [window.from.toString(), window.to.toString()];
  const { rows } = await db.execute<Row>(sql`
    WITH wanted AS (
      SELECT order_id FROM core.orders
      WHERE shop_id = ${shopId} AND created_local >= ${from} AND created_local < ${to}
      UNION
      SELECT id::bigint FROM json_array_elements_text(${JSON.stringify(listed)}::json) AS id
    )
    SELECT o.order_id, o.fingerprint, o.lines_state, o.lines_attempts, o.lines_fetched_at,
      NOT s.is_final AS is_open,
      o.missing_since IS NOT NULL OR o.deleted_at IS NOT NULL AS is_marked,
      CASE WHEN o.deleted_at IS NULL THEN o.missing_since END AS missing_since, o.created_on,
      (SELECT count(*)::int FROM core.order_lines l WHERE l.shop_id = o.shop_id AND l.order_id = o.order_id) AS line_count,
      coalesce(o.created_local >= ${from} AND o.created_local < ${to}, false) AS is_in_window,
      o.changed_at,
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
    createdOn: row.created_on ?? undefined,
    lineCount: row.line_count,
    changedAt: parseInstant(row.changed_at),
    lastSeenAt: parseInstant(row.last_seen_at),
  }));
}

/** The first day of which an order is held that is not deleted; undefined where none is. */
export async function readOldestHeldDay(db: Db, shopId: number): Promise<Temporal.PlainDate | undefined> {
  const { rows } = await db.execute<{ day: string | null }>(sql`
    SELECT min(created_local)::date AS day FROM core.orders WHERE shop_id = ${shopId} AND deleted_at IS NULL`);
  const day = rows[0]?.day ?? undefined;
  return day === undefined ? undefined : Temporal.PlainDate.from(day);
}

/** The newest live orders, with the shop-local time at which each was placed. */
export async function readNewestOrders(
  db: Db,
  shopId: number,
  limit: number,
): Promise<readonly { readonly orderId: string; readonly createdLocal: Temporal.PlainDateTime }[]> {
  const { rows } = await db.execute<{ order_id: string; created: string }>(sql`
    SELECT order_id, to_char(created_local, 'YYYY-MM-DD"T"HH24:MI:SS') AS created FROM core.orders
    WHERE shop_id = ${shopId} AND created_local IS NOT NULL AND missing_since IS NULL AND deleted_at IS NULL
    ORDER BY created_local DESC LIMIT ${limit}`);
  return rows.map((row) => ({
    orderId: row.order_id,
    createdLocal: Temporal.PlainDateTime.from(row.created),
  }));
}
