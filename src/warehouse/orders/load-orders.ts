import { type SQL, sql } from 'drizzle-orm';

import type { Cleared } from '../../cleared.ts';
import type { JsonObject } from '../../json.ts';
import type { Tx } from '../db/database.ts';
import { recordHistory } from './order-history.ts';
import { type LinesToLoad, linesState, replaceLines } from './load-lines.ts';
import { countMoves } from '../ops/ledger.ts';
import { type BookkeepingColumn, ORDER_STAMP, type OrderRecord, orders } from '../schema/orders.ts';
import { rawOrders } from '../schema/raw.ts';
import { insertedKeys, recordset, upsert } from '../db/upsert.ts';
import { markChanged, stampChanges } from '../ops/change-stamp.ts';
import { addUpLines, NO_TOTALS } from './line-totals.ts';
import { type PersonToKeep, writePersons } from './order-persons.ts';
import { addReferences, markLoaded } from './order-references.ts';

/** An order as it is to be held from now on. */
export type OrderToLoad = {
  /** Its columns, but for the shop and the bookkeeping below. */
  readonly row: Cleared<Omit<OrderRecord, 'shop_id' | BookkeepingColumn>>;
  readonly fingerprint: string;
  /** The fields of the list row that are known to be impersonal. */
  readonly payload: Cleared<JsonObject>;
  readonly person: PersonToKeep;
  /** The instant at which the walk saw it. */
  readonly seenAt: Temporal.Instant;
  /** When it last changed; `seenAt` where it is new or changed. */
  readonly changedAt: Temporal.Instant;
  /** The last instant at which it was seen in the state held until now; undefined where it is new. */
  readonly lastSeenAt: Temporal.Instant | undefined;
  readonly lines: LinesToLoad;
};

/**
 * Writes orders whole: codes and buyers they refer to, headers, lines, history and payloads.
 *
 * @returns lines removed, added or changed
 */
export async function loadOrders(tx: Tx, shopId: number, toLoad: readonly OrderToLoad[]): Promise<number> {
  if (toLoad.length === 0) return 0;
  const rows = toLoad.map(({ row }) => row);
  // Before any row is locked, as wherever orders change: a window may be concluded at the same time.
  const changedAt = await stampChanges(tx, shopId);
  await addReferences(tx, shopId, rows);
  await countMoves(tx, shopId, movedDays(shopId, rows));
  // Of orders that are held already, the triggers find which sums change, if any.
  if (toLoad.every(({ lastSeenAt }) => lastSeenAt === undefined)) await markLoaded(tx, shopId, rows);
  const added = await writeHeaders(tx, shopId, toLoad, changedAt);
  const isNew = ({ row }: OrderToLoad) => added.has(row.order_id);
  const lines = await replaceLines(
    tx,
    shopId,
    toLoad.map((order) => ({ orderId: order.row.order_id, lines: order.lines, isNew: isNew(order) })),
  );
  const passed = await recordHistory(
    tx,
    shopId,
    toLoad.filter(isNew),
    toLoad.filter((order) => !isNew(order)),
  );
  const persons = await writePersons(
    tx,
    shopId,
    toLoad
      .filter((order) => order.person !== null || !isNew(order))
      .map(({ row, person, lines }) => ({
        orderId: row.order_id,
        person,
        contentRest: lines.kind === 'fetched' ? lines.rest : undefined,
      })),
  );
  const isHeld = (orderId: string) => !added.has(orderId);
  const changed = new Set([...lines.orderIds, ...passed, ...persons].filter(isHeld));
  await markChanged(tx, shopId, [...changed], changedAt);
  await keepPayloads(
    tx,
    shopId,
    toLoad.map(({ row, ...order }) => ({ ...order, orderId: row.order_id })),
  );
  return lines.count;
}

const PLACE = [
  { name: 'order_id', type: 'bigint' },
  { name: 'created_local', type: 'timestamp' },
];

/** Days that orders are about to come to, to leave, or to move in: a subquery in parentheses. */
function movedDays(shopId: number, rows: readonly OrderToLoad['row'][]): SQL {
  const placed = rows.map(({ order_id, created_local }) => ({ order_id, created_local }));
  return sql`(
    SELECT touched.day FROM ${recordset(PLACE, placed)}
    LEFT JOIN core.orders held ON held.shop_id = ${shopId} AND held.order_id = given.order_id
    CROSS JOIN LATERAL (VALUES (held.created_local::date), (given.created_local::date)) AS touched(day)
    WHERE held.order_id IS NULL OR held.missing_since IS NOT NULL OR held.deleted_at IS NOT NULL
      OR held.created_local IS DISTINCT FROM given.created_local)`;
}

/** @returns the orders that were not stored before */
async function writeHeaders(
  tx: Tx,
  shopId: number,
  toLoad: readonly OrderToLoad[],
  changedAt: string,
): Promise<ReadonlySet<string>> {
  const write = (given: readonly OrderToLoad[], kept: readonly (keyof OrderRecord)[]) => {
    const records = given.map((order) => orderRecord(shopId, order, changedAt));
    const options = { silent: ['changed_at', 'views'], stamp: ORDER_STAMP } as const;
    const stamp = { column: 'stored_at', value: changedAt } as const;
    return insertedKeys(tx, orders, records, 'order_id', stamp, {
      ...options,
      insertOnly: ['first_seen_at', 'stored_at', ...kept],
    });
  };
  const { fetched = [], others = [] } = Object.groupBy(toLoad, ({ lines }) =>
    lines.kind === 'fetched' ? 'fetched' : 'others',
  );
  const added = await write(fetched, []);
  // The lines held until now stay, and so do their sums.
  return added.union(await write(others, ['lines_total', 'list_total']));
}

function orderRecord(shopId: number, order: OrderToLoad, changedAt: string): OrderRecord {
  return {
    ...order.row,
    ...linesState(order.lines),
    ...(order.lines.kind === 'fetched' ? addUpLines(order.lines.rows) : NO_TOTALS),
    row_changed_at: changedAt,
    stored_at: changedAt,
    shop_id: shopId,
    fingerprint: order.fingerprint,
    first_seen_at: order.seenAt.toString(),
    changed_at: order.changedAt.toString(),
    missing_since: null,
    deleted_at: null,
  };
}

/** The list row of an order, as it may be stored. */
export type OrderPayload = {
  readonly orderId: string;
  readonly payload: Cleared<JsonObject>;
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
