import { grouped } from '../../amount-text.ts';
import type { ShopStatusJson } from './shop-report.ts';

/** What there is nothing to say of. */
export const NOT_YET = 'not yet';

/** Figures of a shop as `status`, the list of shops and the shop's page show them. */
export function shownFigures(shop: ShopStatusJson) {
  const { orders, estimate } = shop;
  const rest = estimate?.orders ?? 0;
  // A zero that nobody read is no figure. A shop that was read whole and has none is loaded.
  const isUnread = !shop.is_loaded && orders === 0 && rest === 0 && shop.days_verified === 0;
  return {
    completeThrough: shop.complete_through ?? NOT_YET,
    daysDue: shop.is_loaded ? grouped(shop.days_due ?? 0) : 'all',
    orders: isUnread
      ? NOT_YET
      : `${grouped(orders)}${rest === 0 ? '' : ` of about ${grouped(orders + rest)}`}`,
    rejections: isUnread && shop.open_rejections === 0 ? NOT_YET : grouped(shop.open_rejections),
    isUnread,
  };
}
