import { readOrder } from '../../../normalize/privacy/read-records.ts';
import { type Rejection, withKey } from '../../../normalize/rejection.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import type { OrderPayload, OrderToLoad } from '../../../warehouse/orders/load-orders.ts';
import type { HeldOrder } from '../../../warehouse/orders/stored-orders.ts';
import type { Needs } from '../../run/context.ts';
import { fetchLines } from './fetch-lines.ts';

export type Listed = { readonly row: ListRow; readonly fingerprint: string };

/** An order ready to be written, and what could not be normalized. */
export type Prepared = {
  readonly order: OrderToLoad | undefined;
  /** The list row, if it could not be normalized. */
  readonly unread: OrderPayload | undefined;
  readonly rejections: readonly Rejection[];
  /** Why its lines could not be fetched. */
  readonly failure: string | undefined;
};

/**
 * Fetches an order's lines and normalizes order and lines. Lines that cannot be fetched do not hold up the header.
 *
 * @throws TerminalError when the shop refuses more than this order: others would fail too
 */
export async function prepareOrder(
  sweep: Needs<'api' | 'now' | 'privacy' | 'shop' | 'signal', 'fields' | 'questions'>,
  listed: Listed,
  held: HeldOrder | undefined,
  seenAt: Temporal.Instant,
): Promise<Prepared> {
  const { row, fingerprint } = listed;
  const { privacy, shop } = sweep.ports;
  const normalized = readOrder(privacy, row.raw, shop);
  if (normalized.row === undefined) {
    const unread = { orderId: row.orderId, payload: normalized.payload, seenAt };
    const rejections = withKey(normalized.rejections, row.orderId);
    return { order: undefined, unread, rejections, failure: undefined };
  }
  const { lines, rejections, failure } = await fetchLines(sweep, {
    orderId: row.orderId,
    attempts: held?.linesAttempts ?? 0,
    itemCount: normalized.row.item_count,
    isScrubbed: normalized.isScrubbed,
  });
  const isSame = held !== undefined && privacy.isSameRow(held.fingerprint, row.raw);
  const order = {
    row: normalized.row,
    fingerprint,
    payload: normalized.payload,
    seenAt,
    changedAt: isSame ? held.changedAt : seenAt,
    lastSeenAt: held?.lastSeenAt,
    lines,
  };
  return { order, unread: undefined, rejections: [...normalized.rejections, ...rejections], failure };
}
