import type { StoredShop } from '../../warehouse/directory/registered-shops.ts';
import { moveToZone } from '../../warehouse/directory/shop-life.ts';
import { dropDue } from '../../warehouse/ops/due.ts';
import { fenced } from '../../warehouse/ops/lease.ts';
import { updateShopState } from '../../warehouse/ops/stored-shop-state.ts';
import { type ReplayProgress, type ReplayResult, replayShop } from '../replay/replay-shop.ts';
import type { RunContext } from '../run/context.ts';
import { openLease } from '../run/shop-lease.ts';

/** No normalizer has it: the shop's rows are not what any of them makes, until a replay has ended. */
const NO_VERSION = 0;

/**
 * Changes the zone of a shop's times, and recomputes every instant from the local times as the shop sent them, without a
 * request. Its days stay what they are: they are the shop's own. If it ends early, `replay` continues.
 *
 * @param context with the new zone in `shop`
 * @throws TerminalError when another process holds the shop
 */
export async function changeZone(
  context: RunContext,
  { shopId, timezone: from }: StoredShop,
  watch: (read: () => ReplayProgress) => void,
): Promise<ReplayResult> {
  const { db, now, shop } = context;
  {
    await using heartbeat = await openLease(context, shopId);
    await fenced(db, heartbeat.lease, async (tx) => {
      await moveToZone(tx, shopId, from, shop.timezone);
      await updateShopState(tx, shopId, { normalizer_version: NO_VERSION }, now());
      await dropDue(tx, shopId, 'replay', ['']);
    });
  }
  return await replayShop(context, shopId, {}, watch);
}
