import type { Window } from '../../../model/window.ts';
import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { fenced } from '../../../warehouse/ops/lease.ts';
import { diffOrders, type DifferingOrder } from '../../../warehouse/orders/stored-orders.ts';
import { markOrders } from '../../../warehouse/orders/missing-marks.ts';
import type { Sweep } from '../../run/context.ts';
import type { OrderQueue } from './order-queue.ts';
import type { Listed } from './prepare-order.ts';

export type Compared = {
  readonly differing: readonly DifferingOrder[];
  /** New and changed orders, and those whose lines are due, in list order. */
  readonly toLoad: readonly Listed[];
};

/** Compares what a list showed with the warehouse. @param window that was proven whole. @default none */
export async function compareListed(
  { ports }: Sweep,
  rows: readonly ListRow[],
  seenAt: Temporal.Instant,
  window?: Window,
): Promise<Compared> {
  const { db, lease, now, privacy, shop } = ports;
  const listed = rows.map((row) => ({
    row,
    orderId: row.orderId,
    fingerprint: privacy.fingerprint(row.raw),
    seenAt,
  }));
  const linesBefore = now().subtract({ milliseconds: shop.linesMaxAgeMs });
  const differing = await diffOrders(db, lease.shopId, listed, window, linesBefore);
  const found = new Map(differing.map((order) => [order.orderId, order]));
  const toLoad = listed.flatMap(({ orderId, ...order }) => {
    const { change, stored } = found.get(orderId) ?? {};
    return change === 'new' || change === 'changed' || change === 'lines' ? [{ ...order, stored }] : [];
  });
  return { differing, toLoad };
}

/** Orders that count as missing, and are listed. */
export function returnedOf(differing: readonly DifferingOrder[]): readonly string[] {
  return differing.flatMap(({ orderId, change, stored }) =>
    stored?.isMarked === true && (change === 'lines' || change === 'returned') ? [orderId] : [],
  );
}

/** Loads orders from lists other than a window's, as far as they differ: their days are not verified by that. */
export async function loadListed(
  sweep: Sweep,
  queue: OrderQueue,
  { differing, toLoad }: Compared,
): Promise<void> {
  const { db, lease, now } = sweep.ports;
  await queue.load(toLoad);
  const returned = returnedOf(differing);
  if (returned.length === 0) return;
  sweep.state.counters.hasWritten = true;
  await fenced(db, lease, (tx) => markOrders(tx, lease.shopId, { returned }, now()));
}
