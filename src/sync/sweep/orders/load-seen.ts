import type { ListRow } from '../../../shop-api/endpoints/list-orders.ts';
import { type HeldOrder, readOldestOrder, readOrdersById } from '../../../warehouse/orders/stored-orders.ts';
import { foreignPageReason } from '../../ask/recognize-shop.ts';
import type { Sweep } from '../../run/context.ts';
import type { OrderLoader } from './order-loader.ts';
import type { SeenOrder } from './seen-orders.ts';
import { loadListed } from './write-orders.ts';

/**
 * Loads orders that lists showed and no window that was read whole holds, as far as they are not stored, or differ and are
 * of now: their days stay due. None of a list that may be another shop's.
 *
 * @param lacking orders that only the lists of other windows than their own show
 */
export async function loadSeen(
  sweep: Sweep,
  loader: OrderLoader,
  seen: readonly SeenOrder[],
  lacking: readonly ListRow[],
): Promise<void> {
  const { db, lease, now } = sweep.ports;
  const rows = new Map([...lacking, ...seen.map(({ row }) => row)].map((row) => [row.orderId, row]));
  if (rows.size === 0) return;
  const stored = await readOrdersById(db, lease.shopId, [...rows.keys()]);
  if (!loader.isOurs && (await foreignPageReason(sweep, stored.length)) !== undefined) return;
  const held = new Map(stored.map((order) => [order.orderId, order]));
  const outdated = new Set(seen.flatMap(({ row, isOutdated }) => (isOutdated ? [row.orderId] : [])));
  const wanted = [...rows.values()].filter((row) => {
    const order = held.get(row.orderId);
    return order === undefined || (!outdated.has(row.orderId) && isDifferent(sweep, row, order));
  });
  await loadListed(sweep, wanted, held, now(), loader.writer);
}

/** Whether a row says something else than is stored of its order. */
function isDifferent({ ports }: Sweep, { raw }: ListRow, order: HeldOrder): boolean {
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
