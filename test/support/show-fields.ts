import type { Db } from '../../src/warehouse/db/database.ts';
import { takeLease } from '../../src/warehouse/ops/lease.ts';
import { refreshShownCodes } from '../../src/warehouse/directory/shown-codes.ts';
import { refreshShownFields } from '../../src/warehouse/ops/shown-fields.ts';

/** Decides anew which order fields and codes of a shop are shown, as a sweep does; returns how many wait for the owner. */
export async function showFields(db: Db, shopId: number, minPeers: number): Promise<number> {
  const taken = await takeLease(db, shopId, 'test', 60_000, () => true);
  if (taken.kind !== 'taken') throw new Error('the lease is held');
  await refreshShownCodes(db, taken.lease, minPeers);
  return refreshShownFields(db, taken.lease, minPeers);
}
