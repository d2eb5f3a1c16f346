import { grouped } from '../../amount-text.ts';
import type { ShopStatusJson } from './shop-report.ts';

/** What there is nothing to say of. */
export const NOT_YET = 'not yet';

/** Figures of a shop as `status`, the list of shops and the shop's page show them. */
export function shownFigures(shop: ShopStatusJson) {
  const { orders, estimate } = shop;
  const rest = estimate?.orders ?? 0;
  return {
    completeThrough: shop.complete_through ?? NOT_YET,
    daysDue: shop.is_loaded ? grouped(shop.days_due ?? 0) : 'all',
    orders: `${grouped(orders)}${rest === 0 ? '' : ` of about ${grouped(orders + rest)}`}`,
    rejections: grouped(shop.open_rejections),
  };
}
