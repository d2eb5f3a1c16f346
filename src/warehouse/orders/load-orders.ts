import { sql } from 'drizzle-orm';

import type { JsonValue } from '../../json.ts';
import { addUnknownCodes } from '../directory/status-codes.ts';
import type { Tx } from '../db/database.ts';
import { recordHistory } from './order-history.ts';
import { type LinesToLoad, linesState, replaceLines } from './load-lines.ts';
import { type BookkeepingColumn, orders } from '../schema/orders.ts';
import { rawOrders } from '../schema/raw.ts';
import { upsert } from '../db/upsert.ts';

export type OrderRecord = Required<typeof orders.$inferInsert>;

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

/** Writes orders whole: codes and buyers they refer to, headers, lines, history and payloads. */
export async function loadOrders(tx: Tx, shopId: number, toLoad: readonly OrderToLoad[]): Promise<void> {
  if (toLoad.length === 0) return;
  await addUnknownCodes(
    tx,
    shopId,
    toLoad.map(({ row }) => row),
  );
  await addUnknownBuyers(
    tx,
    shopId,
    toLoad.map(({ row }) => row),
  );
  await upsert(
    tx,
    orders,
    toLoad.map((order) => orderRecord(shopId, order)),
    {
      insertOnly: ['first_seen_at'],
      silent: ['changed_at', 'views'],
    },
  );
  await replaceLines(
    tx,
    shopId,
    toLoad.map(({ row, lines }) => ({ orderId: row.order_id, lines })),
  );
  await recordHistory(tx, shopId, toLoad);
  await keepPayloads(
    tx,
    shopId,
    toLoad.map(({ row, ...order }) => ({ ...order, orderId: row.order_id })),
  );
}

function orderRecord(shopId: number, order: OrderToLoad): OrderRecord {
  return {
    ...order.row,
    ...linesState(order.lines),
    shop_id: shopId,
    fingerprint: order.fingerprint,
    first_seen_at: order.seenAt.toString(),
    changed_at: order.changedAt.toString(),
    missing_since: null,
    deleted_at: null,
  };
}

/** A buyer is known by identifier before anything else is: the user is fetched later. */
export async function addUnknownBuyers(
  tx: Tx,
  shopId: number,
  rows: readonly Pick<OrderRecord, 'buyer_oid'>[],
): Promise<void> {
  const buyers = new Set(rows.flatMap((row) => row.buyer_oid ?? []));
  await tx.execute(sql`
    INSERT INTO core.users (shop_id, user_oid, fetch_state)
    SELECT ${shopId}, oid::bigint, 'pending' FROM json_array_elements_text(${JSON.stringify([...buyers])}::json) AS oid
    ORDER BY oid::bigint
    ON CONFLICT DO NOTHING`);
}

/** The list row of an order, as it came. */
export type OrderPayload = {
  readonly orderId: string;
  readonly payload: JsonValue;
  readonly seenAt: Temporal.Instant;
};

/** Keeps list rows for a replay; of an order of which no row could be made it is all that is kept. */
export async function keepPayloads(tx: Tx, shopId: number, toKeep: readonly OrderPayload[]): Promise<void> {
  const rows = toKeep.map(({ orderId, payload, seenAt }) => ({
    shop_id: shopId,
    order_id: orderId,
    payload,
    fetched_at: seenAt.toString(),
  }));
  await upsert(tx, rawOrders, rows, { nul: 'escaped' });
}
