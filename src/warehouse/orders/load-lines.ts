import { sql } from 'drizzle-orm';

import type { Cleared } from '../../cleared.ts';
import type { JsonObject } from '../../json.ts';
import type { Db, Tx } from '../db/database.ts';
import { orderLines } from '../schema/orders.ts';
import { rawOrderContents } from '../schema/raw.ts';
import { recordset, upsert, upsertReturning } from '../db/upsert.ts';
import { markChanged, stampChanges } from './change-stamp.ts';
import { addUpLines, NO_TOTALS } from './line-totals.ts';
import { keepContentRests } from './order-persons.ts';
import { STRIPPED_FORM } from '../schema/orders.ts';

type LineRecord = Required<typeof orderLines.$inferInsert>;

export type LinesToLoad =
  | {
      readonly kind: 'fetched';
      readonly rows: readonly Omit<LineRecord, 'shop_id'>[];
      readonly payload: Cleared<JsonObject>;
      /** What the answer holds beyond that; null: nothing, or nothing that may be stored. */
      readonly rest: Cleared<JsonObject> | null;
      readonly fetchedAt: Temporal.Instant;
    }
  /** The lines held until now stay. */
  | { readonly kind: 'failed'; readonly attempts: number; readonly triedAt: Temporal.Instant };

export type OrderLinesToLoad = {
  readonly orderId: string;
  readonly lines: LinesToLoad;
  /** This transaction wrote the order's first row: there are no lines to take away. @default false */
  readonly isNew?: boolean;
};

export type OrderLines = Pick<OrderLinesToLoad, 'orderId' | 'isNew'> & {
  readonly rows: readonly Omit<LineRecord, 'shop_id'>[];
};

/** An order whose lines are wanted again. */
export type DueLines = {
  readonly orderId: string;
  readonly attempts: number;
  /** Items of the order as its list row counted them. */
  readonly itemCount: number | null;
  /** It is stored without its person. */
  readonly isStripped: boolean;
};

const MAX_ATTEMPTS = 32_767;

/** What the header says of its lines. */
export function linesState(lines: LinesToLoad) {
  const isFetched = lines.kind === 'fetched';
  return {
    lines_state: isFetched ? 'ok' : 'failed',
    lines_fetched_at: (isFetched ? lines.fetchedAt : lines.triedAt).toString(),
    lines_attempts: isFetched ? 0 : Math.min(lines.attempts, MAX_ATTEMPTS),
  };
}

/**
 * Live orders whose lines are not in, and whose last try is long enough ago.
 *
 * @param retry pause after the first failure, and how often it doubles at most, once for each further one
 * @param now by the clock that the tries were dated with
 */
export async function readDueLines(
  db: Db,
  shopId: number,
  retry: { readonly firstPauseMs: number; readonly maxDoublings: number },
  limit: number,
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<readonly DueLines[]> {
  const doublings = sql`least(greatest(lines_attempts - 1, 0), ${retry.maxDoublings}::int)`;
  const { rows } = await db.execute<{
    order_id: string;
    lines_attempts: number;
    item_count: number | null;
    is_stripped: boolean;
  }>(sql`
    SELECT order_id, lines_attempts, item_count,
      fingerprint ~ ${STRIPPED_FORM} AS is_stripped
    FROM core.orders
    WHERE shop_id = ${shopId} AND lines_state <> 'ok' AND missing_since IS NULL AND deleted_at IS NULL
      AND (lines_fetched_at IS NULL
        OR lines_fetched_at <= ${now.toString()}::timestamptz - make_interval(secs => ${retry.firstPauseMs / 1000} * power(2, ${doublings})))
    ORDER BY lines_fetched_at NULLS FIRST, order_id LIMIT ${limit}`);
  return rows.map((row) => ({
    orderId: row.order_id,
    attempts: row.lines_attempts,
    itemCount: row.item_count,
    isStripped: row.is_stripped,
  }));
}

/** Live orders whose lines are not in. */
export async function countWithoutLines(db: Db, shopId: number): Promise<number> {
  const { rows } = await db.execute<{ orders: number }>(sql`
    SELECT count(*)::int AS orders FROM core.orders
    WHERE shop_id = ${shopId} AND lines_state <> 'ok' AND missing_since IS NULL AND deleted_at IS NULL`);
  return rows[0]?.orders ?? 0;
}

/** Writes lines of orders whose headers stay as they are. */
export async function loadLines(tx: Tx, shopId: number, toLoad: readonly OrderLinesToLoad[]): Promise<void> {
  if (toLoad.length === 0) return;
  const changedAt = await stampChanges(tx, shopId);
  const written = await replaceLines(tx, shopId, toLoad);
  const states = toLoad.map(({ orderId, lines }) => ({
    order_id: orderId,
    ...linesState(lines),
    ...(lines.kind === 'fetched' ? addUpLines(lines.rows) : NO_TOTALS),
  }));
  // The lines held until now stay where none came, and so do their sums.
  await tx.execute(sql`
    UPDATE core.orders o SET lines_state = given.lines_state, lines_fetched_at = given.lines_fetched_at,
      lines_attempts = given.lines_attempts,
      lines_total = CASE WHEN given.lines_state = 'ok' THEN given.lines_total ELSE o.lines_total END,
      list_total = CASE WHEN given.lines_state = 'ok' THEN given.list_total ELSE o.list_total END,
      row_changed_at = CASE WHEN given.lines_state <> o.lines_state THEN ${changedAt} ELSE o.row_changed_at END
    FROM ${recordset(STATE_COLUMNS, states)}
    WHERE o.shop_id = ${shopId} AND o.order_id = given.order_id`);
  await markChanged(tx, shopId, written.orderIds, changedAt);
  const fetched = toLoad.flatMap(({ orderId, lines }) =>
    lines.kind === 'fetched' ? [{ orderId, rest: lines.rest }] : [],
  );
  await keepContentRests(tx, shopId, fetched);
}

const STATE_COLUMNS = [
  { name: 'order_id', type: 'bigint' },
  { name: 'lines_state', type: 'text' },
  { name: 'lines_fetched_at', type: 'timestamptz' },
  { name: 'lines_attempts', type: 'smallint' },
  { name: 'lines_total', type: 'numeric(20,2)' },
  { name: 'list_total', type: 'numeric(20,2)' },
];

/** Lines removed, added or changed, and the orders that they belong to. */
export type WrittenLines = { readonly count: number; readonly orderIds: ReadonlySet<string> };

/** Makes the lines of orders what was fetched, and keeps the answers. */
export async function replaceLines(
  tx: Tx,
  shopId: number,
  toLoad: readonly OrderLinesToLoad[],
): Promise<WrittenLines> {
  const fetched = toLoad.flatMap(({ orderId, lines, isNew }) =>
    lines.kind === 'fetched' ? [{ ...lines, orderId, isNew: isNew === true }] : [],
  );
  const written = await writeLines(tx, shopId, fetched);
  const contents = fetched.map(({ orderId, payload, fetchedAt }) => ({
    shop_id: shopId,
    order_id: orderId,
    payload,
    fetched_at: fetchedAt.toString(),
  }));
  await upsert(tx, rawOrderContents, contents, { nul: 'escaped' });
  return written;
}

/** Makes the lines of orders the given ones, line by line: an unchanged line is not written. */
export async function writeLines(
  tx: Tx,
  shopId: number,
  given: readonly OrderLines[],
): Promise<WrittenLines> {
  const held = given.filter(({ isNew }) => isNew !== true);
  const removed = held.length === 0 ? [] : await removeOtherLines(tx, shopId, held);
  const written = await upsertReturning(
    tx,
    orderLines,
    given.flatMap(({ rows }) => rows.map((row) => ({ ...row, shop_id: shopId }))),
    'order_id',
  );
  return { count: removed.length + written.length, orderIds: new Set([...removed, ...written]) };
}

/**
 * Removes the lines that are not among those given of their order.
 *
 * @returns the order of each removed line
 */
async function removeOtherLines(
  tx: Tx,
  shopId: number,
  given: readonly OrderLines[],
): Promise<readonly string[]> {
  // Numbers, not a count: they have a gap where a line could not be read.
  const kept = given.map(({ orderId, rows }) => ({
    order_id: orderId,
    lines: rows.map((row) => row.line_no),
  }));
  const { rows } = await tx.execute<{ order_id: string }>(sql`
    DELETE FROM core.order_lines l
    USING json_to_recordset(${JSON.stringify(kept)}::json) AS given(order_id bigint, lines smallint[])
    WHERE l.shop_id = ${shopId} AND l.order_id = given.order_id AND l.line_no <> ALL (given.lines)
    RETURNING l.order_id::text AS order_id`);
  return rows.map((row) => row.order_id);
}
