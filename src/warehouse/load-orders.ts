import { sql } from 'drizzle-orm';

import type { JsonValue } from '../json.ts';
import { addUnknownCodes } from './codes.ts';
import type { Tx } from './database.ts';
import { recordHistory } from './history.ts';
import { orderLines, orders } from './schema/core.ts';
import { rawOrderContents, rawOrders } from './schema/raw.ts';
import { upsert } from './upsert.ts';

type OrderRecord = Required<typeof orders.$inferInsert>;
type LineRecord = Required<typeof orderLines.$inferInsert>;

/** An order as it is to be held from now on. */
export type OrderToLoad = {
  /** Its columns, but for the shop and the bookkeeping below. */
  readonly row: Omit<OrderRecord, 'shop_id' | BookkeepingColumn>;
  readonly fingerprint: string;
  /** The list row as it came. */
  readonly payload: JsonValue;
  /** The instant at which the walk saw it. */
  readonly seenAt: Temporal.Instant;
  /** When it last changed; `seenAt` where it is new or changed. */
  readonly changedAt: Temporal.Instant;
  /** The last instant at which it was seen in the state held until now; undefined where it is new. */
  readonly lastSeenAt: Temporal.Instant | undefined;
  readonly lines: LinesToLoad;
};

export type LinesToLoad =
  | {
      readonly kind: 'fetched';
      readonly rows: readonly Omit<LineRecord, 'shop_id'>[];
      readonly payload: JsonValue;
      readonly fetchedAt: Temporal.Instant;
    }
  /** The lines held until now stay. */
  | { readonly kind: 'failed'; readonly attempts: number; readonly triedAt: Temporal.Instant };

type BookkeepingColumn =
  | 'fingerprint'
  | 'lines_state'
  | 'lines_fetched_at'
  | 'lines_attempts'
  | 'first_seen_at'
  | 'changed_at'
  | 'missing_since'
  | 'deleted_at';

const MAX_ATTEMPTS = 32_767;

/** Writes orders whole: codes and buyers they refer to, headers, lines, history and payloads. */
export async function loadOrders(tx: Tx, shopId: number, toLoad: readonly OrderToLoad[]): Promise<void> {
  if (toLoad.length === 0) return;
  await addUnknownCodes(
    tx,
    shopId,
    toLoad.map(({ row }) => row),
  );
  await addUnknownBuyers(tx, shopId, toLoad);
  await upsert(
    tx,
    orders,
    toLoad.map((order) => orderRecord(shopId, order)),
    {
      insertOnly: ['first_seen_at'],
      silent: ['changed_at', 'views'],
    },
  );
  await replaceLines(tx, shopId, toLoad);
  await recordHistory(tx, shopId, toLoad);
  await keepPayloads(tx, shopId, toLoad);
}

function orderRecord(shopId: number, order: OrderToLoad): OrderRecord {
  const { lines } = order;
  const linesAt = lines.kind === 'fetched' ? lines.fetchedAt : lines.triedAt;
  return {
    ...order.row,
    shop_id: shopId,
    fingerprint: order.fingerprint,
    lines_state: lines.kind === 'fetched' ? 'ok' : 'failed',
    lines_fetched_at: linesAt.toString(),
    lines_attempts: lines.kind === 'fetched' ? 0 : Math.min(lines.attempts, MAX_ATTEMPTS),
    first_seen_at: order.seenAt.toString(),
    changed_at: order.changedAt.toString(),
    missing_since: null,
    deleted_at: null,
  };
}

/** A buyer is known by identifier before anything else is: the user is fetched later. */
async function addUnknownBuyers(tx: Tx, shopId: number, toLoad: readonly OrderToLoad[]): Promise<void> {
  const buyers = new Set(toLoad.flatMap(({ row }) => row.buyer_oid ?? []));
  await tx.execute(sql`
    INSERT INTO core.users (shop_id, user_oid, fetch_state)
    SELECT ${shopId}, oid::bigint, 'pending' FROM json_array_elements_text(${JSON.stringify([...buyers])}::json) AS oid
    ORDER BY oid::bigint
    ON CONFLICT DO NOTHING`);
}

async function replaceLines(tx: Tx, shopId: number, toLoad: readonly OrderToLoad[]): Promise<void> {
  const fetched = toLoad.flatMap(({ row, lines }) =>
    lines.kind === 'fetched' ? [{ order_id: row.order_id, rows: lines.rows }] : [],
  );
  // Numbers, not a count: they have a gap where a line could not be read.
  const kept = fetched.map(({ order_id, rows }) => ({ order_id, lines: rows.map((row) => row.line_no) }));
  await tx.execute(sql`
    DELETE FROM core.order_lines l
    USING json_to_recordset(${JSON.stringify(kept)}::json) AS given(order_id bigint, lines smallint[])
    WHERE l.shop_id = ${shopId} AND l.order_id = given.order_id AND l.line_no <> ALL (given.lines)`);
  await upsert(
    tx,
    orderLines,
    fetched.flatMap(({ rows }) => rows.map((row) => ({ ...row, shop_id: shopId }))),
  );
}

async function keepPayloads(tx: Tx, shopId: number, toLoad: readonly OrderToLoad[]): Promise<void> {
  const headers = toLoad.map(({ row, payload, seenAt }) => ({
    shop_id: shopId,
    order_id: row.order_id,
    payload,
    fetched_at: seenAt.toString(),
  }));
  const contents = toLoad.flatMap(({ row, lines }) =>
    lines.kind === 'fetched'
      ? [
          {
            shop_id: shopId,
            order_id: row.order_id,
            payload: lines.payload,
            fetched_at: lines.fetchedAt.toString(),
          },
        ]
      : [],
  );
  await upsert(tx, rawOrders, headers);
  await upsert(tx, rawOrderContents, contents);
}

/** Marks orders that a proven walk did not return. A mark that is there keeps its instant. */
export async function markMissing(
  tx: Tx,
  shopId: number,
  ids: readonly string[],
  since: Temporal.Instant,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    UPDATE core.orders SET missing_since = ${since.toString()}
    WHERE shop_id = ${shopId} AND missing_since IS NULL
      AND order_id IN (SELECT id::bigint FROM json_array_elements_text(${JSON.stringify(ids)}::json) AS id)`);
}

/** Takes the marks off orders that were seen again. */
export async function clearMissing(tx: Tx, shopId: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    UPDATE core.orders SET missing_since = NULL, deleted_at = NULL
    WHERE shop_id = ${shopId} AND (missing_since IS NOT NULL OR deleted_at IS NOT NULL)
      AND order_id IN (SELECT id::bigint FROM json_array_elements_text(${JSON.stringify(ids)}::json) AS id)`);
}
