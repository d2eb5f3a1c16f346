import { deleteShopRows, type TableRows } from '../../warehouse/directory/delete-shop.ts';
import type { StoredShop } from '../../warehouse/directory/registered-shops.ts';
import { startDeletion } from '../../warehouse/directory/shop-life.ts';
import type { RunContext } from '../run/context.ts';
import { openLease } from '../run/shop-lease.ts';

/**
 * Deletes a shop and all its rows. A sweep in progress is ended; one that was begun earlier is continued.
 *
 * @param onBatch called after each transaction with the table and the rows deleted from it
 * @throws LeaseLostError when another process took over the deletion; the signal's reason
 */
export async function deleteShop(
  { db, signal }: Pick<RunContext, 'db' | 'signal'>,
  shop: StoredShop,
  onBatch: (batch: TableRows) => void = () => undefined,
): Promise<void> {
  await startDeletion(db, shop.shopId);
  await using heartbeat = await openLease({ db, signal, shop }, shop.shopId);
  await deleteShopRows(db, heartbeat.lease, AbortSignal.any([signal, heartbeat.signal]), onBatch);
}
