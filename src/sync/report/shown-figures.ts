import { grouped } from '../../amount-text.ts';
import type { ShopStatusJson } from './shop-report.ts';

/** What there is nothing to say of. */
export const NOT_YET = 'not yet';

/** Figures of a shop as `status`, the list of shops and the shop's page show them. */
export function shownFigures(shop: ShopStatusJson) {
  return {
    completeThrough: shop.complete_through ?? NOT_YET,
    daysDue: shop.is_loaded ? grouped(shop.days_due ?? 0) : 'all',
    orders: grouped(countOrders(shop)),
    rejections: grouped(shop.open_rejections),
  };
}

/** A long run counts them once a minute; until it has, what it loaded itself is known. */
export function countOrders({ orders, runs: [last] }: ShopStatusJson): number {
  return last?.finished_at === null ? Math.max(orders, last.orders_new) : orders;
}
