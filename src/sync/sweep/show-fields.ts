import { refreshShownCodes } from '../../warehouse/directory/shown-codes.ts';
import { refreshShownFields } from '../../warehouse/ops/shown-fields.ts';
import type { Needs } from '../run/context.ts';

/** Counting reads every order of the shop, so a busy shop is not counted after each sweep. */
const RECOUNT_AFTER = { hours: 1 };

/** Decides anew which extra fields and own codes of orders `bi` shows, when orders or `FIELDS_MIN_PEERS` changed since the last time. */
export async function showSharedFields({
  ports,
  state,
}: Needs<'db' | 'lease' | 'now' | 'shop', 'counters' | 'shownFields'>): Promise<void> {
  const { db, lease, shop } = ports;
  const { counters, shownFields: last } = state;
  const now = ports.now();
  const isChanged = counters.orders_new + counters.orders_changed + counters.orders_missing > 0;
  const isOld = last === undefined || Temporal.Instant.compare(last.countedAt.add(RECOUNT_AFTER), now) <= 0;
  if (last?.minPeers === shop.fieldsMinPeers && !(isChanged && isOld)) return;
  await refreshShownCodes(db, lease, shop.fieldsMinPeers);
  const waiting = await refreshShownFields(db, lease, shop.fieldsMinPeers);
  state.shownFields = { countedAt: now, minPeers: shop.fieldsMinPeers, waiting };
}
