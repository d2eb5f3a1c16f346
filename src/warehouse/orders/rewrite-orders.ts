import type { Tx } from '../db/database.ts';
import { correctHistory, recordHistory } from './order-history.ts';
import { makeDue } from '../ops/ledger.ts';
import { type LinesToLoad, writeLines } from './load-lines.ts';
import type { OrderToLoad } from './load-orders.ts';
import { addReferences } from './order-references.ts';
import { BOOKKEEPING_COLUMNS, ORDER_STAMP, type OrderRecord, orders } from '../schema/orders.ts';
import { upsertCounted } from '../db/upsert.ts';
import { markChanged, stampChanges } from '../ops/change-stamp.ts';
import { type OrderPersonToKeep, writePersons } from './order-persons.ts';
import { addUpLines, type LineTotals, NO_TOTALS } from './line-totals.ts';

/** An order whose stored payload was normalized again. */
export type RewrittenOrder = {
  readonly row: OrderToLoad['row'];
  /** Of the payload; used only for an order that was not stored. */
  readonly fingerprint: string;
  /** When the payload was received. */
  readonly fetchedAt: Temporal.Instant;
  /** Its lines, and when they were received; undefined without stored content. */
  readonly lines: Pick<Extract<LinesToLoad, { kind: 'fetched' }>, 'rows' | 'fetchedAt'> | undefined;
  /** Undefined: what is stored of its person stays, as it does where nothing is. */
  readonly person: Omit<OrderPersonToKeep, 'orderId'> | undefined;
  /** The stored row; undefined where the order could not be normalized so far. */
  readonly held: { readonly createdOn: string | undefined } | undefined;
};

export type RewriteCounts = { readonly added: number; readonly changed: number; readonly lines: number };

/**
 * Writes orders and lines that were normalized again, where they differ. A corrected order keeps `changed_at`, since
 * nothing happened in the shop, and its current history entry is corrected in place. If its day changed, both days
 * become due.
 *
 * @returns headers added and changed, and lines added, changed or removed
 */
export async function rewriteOrders(
  tx: Tx,
  shopId: number,
  rewritten: readonly RewrittenOrder[],
): Promise<RewriteCounts> {
  if (rewritten.length === 0) return { added: 0, changed: 0, lines: 0 };
  const rows = rewritten.map(({ row }) => row);
  await addReferences(tx, shopId, rows);
  const changedAt = await stampChanges(tx, shopId);
  const written = await rewriteHeaders(tx, shopId, rewritten, changedAt);
  const lines = await writeLines(
    tx,
    shopId,
    rewritten.flatMap((order) =>
      order.lines ? [{ orderId: order.row.order_id, rows: order.lines.rows }] : [],
    ),
  );
  const seen = rewritten.map((order) => ({ ...order, seenAt: order.fetchedAt, lastSeenAt: undefined }));
  const added = seen.filter((order) => order.held === undefined);
  const corrected = await correctHistory(tx, shopId, seen);
  await recordHistory(tx, shopId, [], added);
  const persons = await writePersons(
    tx,
    shopId,
    rewritten.flatMap(({ row, person }) => (person ? [{ orderId: row.order_id, ...person }] : [])),
  );
  await markChanged(tx, shopId, [...lines.orderIds, ...corrected, ...persons], changedAt);
  await makeDue(tx, shopId, movedDays(rewritten));
  return { added: added.length, changed: written - added.length, lines: lines.count };
}

/** What the sync keeps of an order stays; the sums follow the lines, where there are any to write. */
async function rewriteHeaders(
  tx: Tx,
  shopId: number,
  rewritten: readonly RewrittenOrder[],
  changedAt: string,
): Promise<number> {
  const write = (given: readonly RewrittenOrder[], derived: readonly (keyof OrderRecord)[]) =>
    upsertCounted(
      tx,
      orders,
      given.map((order) => toRecord(shopId, order, changedAt)),
      {
        insertOnly: BOOKKEEPING_COLUMNS.filter((column) => !derived.includes(column)),
        silent: ['views'],
        stamp: ORDER_STAMP,
      },
    );
  const withLines = rewritten.filter(({ lines }) => lines !== undefined);
  const withoutLines = rewritten.filter(({ lines }) => lines === undefined);
  const sums: readonly (keyof LineTotals)[] = ['lines_total', 'list_total'];
  return (
    (await write(withLines, ['row_changed_at', ...sums])) + (await write(withoutLines, ['row_changed_at']))
  );
}

function toRecord(
  shopId: number,
  { row, fingerprint, fetchedAt, lines }: RewrittenOrder,
  changedAt: string,
): OrderRecord {
  return {
    ...row,
    ...(lines ? addUpLines(lines.rows) : NO_TOTALS),
    row_changed_at: changedAt,
    stored_at: changedAt,
    shop_id: shopId,
    fingerprint,
    lines_state: lines ? 'ok' : 'pending',
    lines_fetched_at: lines?.fetchedAt.toString() ?? null,
    lines_attempts: 0,
    first_seen_at: fetchedAt.toString(),
    changed_at: fetchedAt.toString(),
    missing_since: null,
    deleted_at: null,
  };
}

/** The old and new days of orders that moved: neither is verified any more. */
function movedDays(rewritten: readonly RewrittenOrder[]): readonly string[] {
  return rewritten.flatMap(({ row, held }) => {
    const [before, now] = [held?.createdOn, row.created_on ?? undefined];
    return held === undefined || before === now ? [] : [before, now].filter((day) => day !== undefined);
  });
}
