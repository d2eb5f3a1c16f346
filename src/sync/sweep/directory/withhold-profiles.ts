import type { Profile } from '../../../model/persons.ts';
import type { Tx } from '../../../warehouse/db/database.ts';
import { removeUnusedCodes } from '../../../warehouse/directory/owner-codes.ts';
import { makeDue } from '../../../warehouse/ops/ledger.ts';
import { keepNoVersions } from '../../../warehouse/ops/change-stamp.ts';
import { clearFingerprints } from '../../../warehouse/orders/compare-orders.ts';
import { readTextsOf } from '../../../warehouse/orders/persons.ts';
import type { RunPorts } from '../../run/context.ts';
import { replayOrdersOf } from '../../run/replay-orders.ts';

/**
 * Takes the persons of accounts out of the texts of their stored orders. Orders of which nothing is stored any more that could be
 * replayed are read again.
 *
 * @param profiles by the numbers of accounts
 */
export async function withholdProfiles(
  tx: Tx,
  { lease, privacy }: Pick<RunPorts, 'lease' | 'privacy'>,
  profiles: ReadonlyMap<string, Profile>,
): Promise<void> {
  const { shopId } = lease;
  const orders = await readTextsOf(tx, shopId, [...profiles.keys()]);
  const found = orders.filter(({ userOid, order, lines }) =>
    privacy.isFoundIn(profiles.get(userOid) ?? [], order, lines),
  );
  if (found.length === 0) return;
  await keepNoVersions(tx);
  const ids = found.map(({ orderId }) => orderId);
  const replayed = await replayOrdersOf(tx, { lease, privacy }, ids, profiles);
  const others = found.filter(({ orderId }) => !replayed.has(orderId));
  await clearFingerprints(
    tx,
    shopId,
    others.map(({ orderId }) => orderId),
  );
  await makeDue(
    tx,
    shopId,
    others.flatMap(({ createdOn }) => createdOn ?? []),
  );
  await removeUnusedCodes(tx, shopId);
}
