import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { type HeldOrder, readOldestOrder, readOrdersById } from '../../../warehouse/orders/stored-orders.ts';
import type { Sweep } from '../../run/context.ts';
import type { OrderLoader } from './order-loader.ts';
import { loadListed } from './write-orders.ts';

/**
 * Loads orders of windows that were not proven, as far as they are not stored: their days stay due.
 *
 * @param isWanted whether one that is stored is loaded again
 */
export async function loadUnproven(
  sweep: Sweep,
  loader: OrderLoader,
  rows: readonly ListRow[],
  isWanted: (sweep: Sweep, row: ListRow, order: HeldOrder) => boolean,
): Promise<void> {
  const { db, lease, now } = sweep.ports;
  const ids = rows.map(({ orderId }) => orderId);
  const stored = await readOrdersById(db, lease.shopId, ids);
  const held = new Map(stored.map((order) => [order.orderId, order]));
  const unique = new Map(rows.map((row) => [row.orderId, row]));
  const wanted = [...unique.values()].filter((row) => {
    const order = held.get(row.orderId);
    return order === undefined || isWanted(sweep, row, order);
  });
  await loadListed(sweep, wanted, held, now(), loader.writer);
}

/** Whether a row says something else than is stored of its order. */
export function isDifferent({ ports }: Sweep, { raw }: ListRow, order: HeldOrder): boolean {
  return order.isMarked || order.fingerprint !== ports.privacy.fingerprint(raw);
}

/**
 * Writes what was fetched ahead of a proof that never came: a shop may serve so few contents that others never would. Not of
 * a list that may be another shop's.
 */
export async function keepFetched({ ports, found }: Sweep, loader: OrderLoader): Promise<void> {
  const { writer } = loader;
  const fetched = writer.fetchedAhead();
  if (fetched.length === 0) return;
  const { db, lease } = ports;
  const isSeen = loader.isOurs || found.recognition.isSeen;
  const isOurs = isSeen || (await readOldestOrder(db, lease.shopId)) === undefined;
  if (!isOurs) return;
  const seenAt = ports.now();
  await Promise.allSettled(fetched.map((listed) => writer.write(listed, undefined, seenAt)));
}
