import type { Tx } from '../db/database.ts';
import { correctHistory, recordHistory } from './order-history.ts';
import { makeDue } from '../ops/ledger.ts';
import type { LinesToLoad } from './load-lines.ts';
import { writeLines } from './load-lines.ts';
import type { OrderToLoad } from './load-orders.ts';
import { addReferences } from './order-references.ts';
import { BOOKKEEPING_COLUMNS, type OrderRecord, orders } from '../schema/orders.ts';
import { upsert } from '../db/upsert.ts';

/** An order whose kept payload was normalized again. */
export type RewrittenOrder = {
  readonly row: OrderToLoad['row'];
  /** Of the payload; counts only where the order was not held. */
  readonly fingerprint: string;
  /** When the payload was received. */
  readonly fetchedAt: Temporal.Instant;
  /** Its lines, and when their answer was received; undefined where there is none. */
  readonly lines: Pick<Extract<LinesToLoad, { kind: 'fetched' }>, 'rows' | 'fetchedAt'> | undefined;
  /** What was held of it; undefined: no row could be made of it until now. */
  readonly held: { readonly createdOn: string | undefined } | undefined;
};

export type RewriteCounts = { readonly added: number; readonly changed: number; readonly lines: number };

/**
 * Writes what another reading of kept payloads made of orders and their lines; what is read as before is not written.
 *
 * A corrected order keeps `changed_at`, which dates a change in the shop, and its current history entry is corrected in
 * place, since nothing happened in the shop. Where the day of an order is read in another way, both days become due.
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
  const records = rewritten.map((order) => recordOf(shopId, order));
  const written = await upsert(tx, orders, records, { insertOnly: BOOKKEEPING_COLUMNS, silent: ['views'] });
  const lines = await writeLines(
    tx,
    shopId,
    rewritten.flatMap((order) =>
      order.lines ? [{ orderId: order.row.order_id, rows: order.lines.rows }] : [],
    ),
  );
  const seen = rewritten.map((order) => ({ ...order, seenAt: order.fetchedAt, lastSeenAt: undefined }));
  const added = seen.filter((order) => order.held === undefined);
  await correctHistory(tx, shopId, seen);
  await recordHistory(tx, shopId, [], added);
  await makeDue(tx, shopId, movedDays(rewritten));
  return { added: added.length, changed: written - added.length, lines };
}

function recordOf(shopId: number, { row, fingerprint, fetchedAt, lines }: RewrittenOrder): OrderRecord {
  return {
    ...row,
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

/** The days that an order left and came to: neither is proven any more. */
function movedDays(rewritten: readonly RewrittenOrder[]): readonly string[] {
  return rewritten.flatMap(({ row, held }) => {
    const [before, now] = [held?.createdOn, row.created_on ?? undefined];
    return held === undefined || before === now ? [] : [before, now].filter((day) => day !== undefined);
  });
}
