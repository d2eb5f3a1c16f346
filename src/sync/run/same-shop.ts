import { TerminalError } from '../../errors.ts';
import type { StoredShop } from '../../warehouse/directory/registered-shops.ts';
import { readNewestOrders } from '../../warehouse/orders/stored-orders.ts';
import type { ShopContext } from './context.ts';
import { listsAny, SAMPLES } from './recognize-shop.ts';

/**
 * Checks that a changed address is still the same shop: it must list one of the newest stored orders, with the minute
 * it was placed in. Otherwise two shops would be mixed.
 *
 * @throws TerminalError when it lists none of them
 */
export async function assertSameShop(
  { api, db, shop, signal }: Pick<ShopContext, 'api' | 'db' | 'shop' | 'signal'>,
  stored: StoredShop,
): Promise<void> {
  if (stored.baseUrl === shop.baseUrl) return;
  const samples = await readNewestOrders(db, stored.shopId, SAMPLES);
  if (samples.length === 0 || (await listsAny({ api, shop, signal }, samples))) return;
  throw new TerminalError(
    `shop ${shop.shopKey} was read from ${stored.baseUrl} so far, but ${shop.baseUrl} lists none of its newest orders and ` +
      'looks like another shop: give it its own SHOP_KEY, or correct SHOP_URL',
  );
}
