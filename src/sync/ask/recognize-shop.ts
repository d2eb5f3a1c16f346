import { TerminalError } from '../../model/errors.ts';
import { createdMinute } from '../../normalize/order.ts';
import type { ListRow } from '../../shop-api/endpoints/list-orders.ts';
import type { ShopApi } from '../../shop-api/shop-api.ts';
import type { Db } from '../../warehouse/db/database.ts';
import { listShops, type StoredShop } from '../../warehouse/directory/registered-shops.ts';
import { type PlacedOrder, readNeighbours } from '../../warehouse/orders/stored-orders.ts';

type AskPorts = {
  readonly api: Pick<ShopApi, 'listOrders'>;
  readonly shop: { readonly pageLimit: number; readonly timezone: string; readonly shopKey: string };
  readonly signal: AbortSignal;
};

/** Number of newest stored orders, one of which a shop must list to be recognized. */
const SAMPLES = 5;

/**
 * Whether the shop lists one of the orders with the minute it was placed in. Requests that minute and then, since date
 * filters differ, the days around it.
 */
async function listsAny({ api, shop, signal }: AskPorts, samples: readonly PlacedOrder[]): Promise<boolean> {
  for (const margin of [{ minutes: 1 }, { days: 1 }]) {
    for (const { orderId, createdLocal } of samples) {
      const minute = createdLocal.round({ smallestUnit: 'minute', roundingMode: 'floor' });
      const query = {
        limit: shop.pageLimit,
        dateFrom: minute.subtract(margin),
        dateTo: minute.add({ minutes: 1 }).add(margin),
      };
      // Which shop it is does not change.
      const { rows } = await api.listOrders(query, signal);
      const isSample = ({ orderId: id, raw }: ListRow) =>
        id === orderId && createdMinute(raw, shop)?.equals(minute) === true;
      if (rows.some(isSample)) return true;
    }
  }
  return false;
}

type NamedShop = AskPorts & {
  readonly db: Db;
  readonly shop: { readonly shopKey: string; readonly baseUrl: string };
};

/**
 * Checks that a changed address is still the same shop: it must list one of the newest stored orders, with the minute
 * it was placed in. Otherwise two shops would be mixed.
 *
 * @throws TerminalError when it lists none of them
 */
export async function assertSameShop(ports: NamedShop, stored: StoredShop): Promise<void> {
  const { db, shop } = ports;
  if (stored.baseUrl === shop.baseUrl) return;
  const samples = await readNeighbours(db, stored.shopId, 'before', undefined, SAMPLES);
  if (samples.length === 0 || (await listsAny(ports, samples))) return;
  throw new TerminalError(
    `shop ${shop.shopKey} was read from ${stored.baseUrl} so far, but ${shop.baseUrl} lists none of its newest orders and ` +
      'looks like another shop: give it a key of its own, or correct its address',
  );
}

/**
 * Checks that a shop that is about to be registered is not held by another key: all of it would be loaded, and counted,
 * twice.
 *
 * @throws TerminalError when a shop of the same address is held, whose newest orders it lists
 */
export async function assertNewShop(ports: NamedShop): Promise<void> {
  const { db, shop } = ports;
  for (const { shopId, shopKey, baseUrl } of await listShops(db)) {
    if (baseUrl !== shop.baseUrl || shopKey === shop.shopKey) continue;
    const samples = await readNeighbours(db, shopId, 'before', undefined, SAMPLES);
    if (samples.length === 0 || !(await listsAny(ports, samples))) continue;
    throw new TerminalError(
      `${shop.baseUrl} is held as shop ${shopKey}, and would be loaded a second time as ${shop.shopKey}: set its key to ` +
        `${shopKey}; docs/runbooks.md says how to give a shop another key`,
    );
  }
}
