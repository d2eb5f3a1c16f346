import { ShopRetiredError } from '../../errors.ts';
import type { StoredShop } from '../../warehouse/directory/registered-shops.ts';

/** @throws ShopRetiredError when the shop was retired or is being deleted */
export function assertNotRetired(
  shop: Pick<StoredShop, 'shopKey' | 'retiredAt' | 'deletionStartedAt'>,
): void {
  assertNotDeleted(shop);
  if (shop.retiredAt === undefined) return;
  const day = shop.retiredAt.toString().slice(0, '2026-01-31'.length);
  throw new ShopRetiredError(
    `shop ${shop.shopKey} was retired on ${day} and is not synced any more; order-sync shops restore ${shop.shopKey} brings ` +
      'it back',
  );
}

/** @throws ShopRetiredError when the shop is being deleted */
export function assertNotDeleted({
  shopKey,
  deletionStartedAt,
}: Pick<StoredShop, 'shopKey' | 'deletionStartedAt'>): void {
  if (deletionStartedAt === undefined) return;
  throw new ShopRetiredError(
    `shop ${shopKey} is being deleted; order-sync shops delete ${shopKey} --yes finishes that`,
  );
}
