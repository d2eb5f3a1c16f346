import { TerminalError } from '../../errors.ts';
import { findShop } from '../../warehouse/directory/registered-shops.ts';
import { readNewestOrders } from '../../warehouse/orders/stored-orders.ts';
import { listsAny, SAMPLES } from './recognize-shop.ts';
import type { ShopContext } from './run-shop.ts';

/**
 * Makes sure that an address which is not the one that the shop was registered with is still the same shop: it must list
 * one of the newest orders held, where that was placed. Otherwise two shops would be mixed.
 *
 * @throws TerminalError when it lists none of them
 */
export async function assertSameShop({ api, db, shop, signal }: ShopContext): Promise<void> {
  const stored = await findShop(db, shop.shopKey);
  if (stored === undefined || stored.baseUrl === shop.baseUrl) return;
  const samples = await readNewestOrders(db, stored.shopId, SAMPLES);
  if (samples.length === 0 || (await listsAny({ api, pageLimit: shop.pageLimit, signal }, samples))) return;
  throw new TerminalError(
    `shop ${shop.shopKey} was read from ${stored.baseUrl} until now, and ${shop.baseUrl} lists none of its newest orders: ` +
      'it looks like another shop. Give it a SHOP_KEY of its own, or correct SHOP_URL',
  );
}
