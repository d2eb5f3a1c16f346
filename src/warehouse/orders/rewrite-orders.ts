import type { Tx } from '../db/database.ts';
import { makeDue } from '../ops/ledger.ts';
import { bookPending } from './due-lines.ts';
import { type FetchedLines, LINE_SUMS, writeLines } from './load-lines.ts';
import { addReferences, type OrderToLoad, toHeader, writeHeaders } from './load-orders.ts';
import { BOOKKEEPING_COLUMNS } from '../schema/orders.ts';
import { stampChanges } from '../ops/change-stamp.ts';
import { type OrderPersonToKeep, writePersons } from './order-persons.ts';

/** An order whose stored payload was normalized again. */
export type RewrittenOrder = {
  readonly row: OrderToLoad['row'];
  /** Of the payload; used only for an order that was not stored. */
  readonly fingerprint: string;
  readonly fetchedAt: Temporal.Instant;
  /** Its lines, and when they were received; undefined without stored content. */
  readonly lines: Pick<FetchedLines, 'rows' | 'fetchedAt'> | undefined;
  /** Undefined: what is stored of its person stays, as it does where nothing is. */
  readonly person: Omit<OrderPersonToKeep, 'orderId'> | undefined;
  /** The stored row; undefined where the order could not be normalized so far. */
  readonly held: { readonly createdOn: string | undefined } | undefined;
};

/**
 * Writes orders and lines that were normalized again, where they differ. A corrected order keeps `observed_at`, since
 * nothing happened in the shop, and its current history entry is corrected in place. If its day changed, both days
 * become due.
 *
 * @returns headers added and changed, and lines added, changed or removed
 */
export async function rewriteOrders(tx: Tx, shopId: number, rewritten: readonly RewrittenOrder[]) {
  if (rewritten.length === 0) return { added: 0, changed: 0, lines: 0 };
  const rows = rewritten.map(({ row }) => row);
  await addReferences(tx, shopId, rows);
  const changedAt = await stampChanges(tx, shopId);
  const seen = rewritten.map((order) => ({ ...order, seenAt: order.fetchedAt, observedAt: order.fetchedAt }));
  const headers = seen.map((order) =>
    toHeader(shopId, order, order.lines && { kind: 'fetched', ...order.lines }, changedAt),
  );
  const written = await writeHeaders(tx, headers, KEPT, ['views']);
  const given = rewritten.flatMap(({ row, lines }) =>
    lines ? [{ orderId: row.order_id, rows: lines.rows }] : [],
  );
  const lines = await writeLines(tx, shopId, given);
  const people = rewritten.flatMap(({ row, person }) =>
    person ? [{ orderId: row.order_id, ...person }] : [],
  );
  await writePersons(tx, shopId, people);
  await makeDue(tx, shopId, movedDays(rewritten));
  const added = seen.filter(({ held }) => held === undefined);
  const pending = added.filter(({ lines }) => lines === undefined);
  await bookPending(
    tx,
    shopId,
    pending.map(({ row }) => row.order_id),
    changedAt,
  );
  return { added: added.length, changed: written.length - added.length, lines };
}

/** A stored order keeps what no payload tells, but for the sums, which follow the lines. */
const KEPT = BOOKKEEPING_COLUMNS.filter((column) => !LINE_SUMS.some((sum) => sum === column));

/** The old and new days of orders that moved: neither is verified any more. */
function movedDays(rewritten: readonly RewrittenOrder[]): readonly string[] {
  return rewritten.flatMap(({ row, held }) => {
    const [before, now] = [held?.createdOn, row.created_on ?? undefined];
    return held === undefined || before === now ? [] : [before, now].filter((day) => day !== undefined);
  });
}
