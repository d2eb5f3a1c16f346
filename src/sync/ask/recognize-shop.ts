import { TerminalError } from '../../model/errors.ts';
import { createdMinute } from '../../normalize/order.ts';
import { unknownProfile } from '../../shop-api/paging/request-page.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { listShops, type StoredShop } from '../../warehouse/directory/registered-shops.ts';
import { readNeighbours } from '../../warehouse/orders/stored-orders.ts';
import { findListed } from './find-listed.ts';

type NamedShop = {
  readonly api: Pick<ShopApi, 'listOrders'>;
  readonly db: Db;
  readonly now: () => Temporal.Instant;
  readonly shop: {
    readonly shopKey: string;
    readonly baseUrl: string;
    readonly pageLimit: number;
    readonly timezone: string;
  };
  readonly signal: AbortSignal;
};

/** Number of newest stored orders, one of which a shop must list to be recognized. */
const SAMPLES = 5;

/** Whether the shop lists one of the newest orders of a stored shop, with the minute it was placed in; undefined where none is stored. */
async function listsAny({ db, shop, ...ports }: NamedShop, shopId: number): Promise<boolean | undefined> {
  const samples = await readNeighbours(db, shopId, 'before', undefined, SAMPLES);
  const list = { ...ports, shop, book: { profile: unknownProfile(shop.pageLimit) } };
  for (const { orderId, createdLocal } of samples) {
    const minute = createdLocal.round({ smallestUnit: 'minute', roundingMode: 'floor' });
    const row = await findListed(list, orderId, minute);
    if (row && createdMinute(row.raw, shop)?.equals(minute) === true) return true;
  }
  return samples.length > 0 ? false : undefined;
}

/**
 * Checks that a changed address is still the same shop: it must list one of the newest stored orders, with the minute
 * it was placed in. Otherwise two shops would be mixed.
 *
 * @throws TerminalError when it lists none of them
 */
export async function assertSameShop(ports: NamedShop, stored: StoredShop): Promise<void> {
  const { shop } = ports;
  if (stored.baseUrl === shop.baseUrl || (await listsAny(ports, stored.shopId)) !== false) return;
  throw new TerminalError(
    `shop ${shop.shopKey} was read from ${stored.baseUrl} so far, but ${shop.baseUrl} lists none of its newest orders and ` +
      'looks like another shop: give it a shop key of its own, or correct its address',
  );
}

/**
 * Checks that a shop that is about to be registered is not registered under another key: all of it would be loaded, and counted,
 * twice.
 *
 * @throws TerminalError when a shop of the same address is registered, whose newest orders it lists
 */
export async function assertNewShop(ports: NamedShop): Promise<void> {
  const { db, shop } = ports;
  for (const { shopId, shopKey, baseUrl } of await listShops(db)) {
    if (baseUrl !== shop.baseUrl || shopKey === shop.shopKey) continue;
    if ((await listsAny(ports, shopId)) !== true) continue;
    throw new TerminalError(
      `the shop at ${shop.baseUrl} is already loaded as shop ${shopKey}, and would be loaded a second time as ${shop.shopKey}: set its ` +
        `shop key to ${shopKey}; docs/runbooks.md says how to give a shop another key`,
    );
  }
}
