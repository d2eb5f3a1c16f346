import { TerminalError } from '../../errors.ts';
import { assertNoFormerKey, listShops, type StoredShop } from '../../warehouse/directory/registered-shops.ts';
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

/**
 * Checks that a shop that is about to be registered is not held by another key: all of it would be loaded, and counted,
 * twice.
 *
 * @throws TerminalError when a shop of the same address is held, whose newest orders it lists, or the key is a former one
 */
export async function assertNewShop({
  api,
  db,
  shop,
  signal,
}: Pick<ShopContext, 'api' | 'db' | 'shop' | 'signal'>): Promise<void> {
  await assertNoFormerKey(db, shop.shopKey);
  const held = (await listShops(db)).filter(
    ({ shopKey, baseUrl }) => baseUrl === shop.baseUrl && shopKey !== shop.shopKey,
  );
  for (const { shopId, shopKey } of held) {
    const samples = await readNewestOrders(db, shopId, SAMPLES);
    if (samples.length === 0 || !(await listsAny({ api, shop, signal }, samples))) continue;
    throw new TerminalError(
      `${shop.baseUrl} is held as shop ${shopKey}, and would be loaded a second time as ${shop.shopKey}: set SHOP_KEY to ` +
        `${shopKey}, or run order-sync shops rename ${shopKey} ${shop.shopKey}`,
    );
  }
}
