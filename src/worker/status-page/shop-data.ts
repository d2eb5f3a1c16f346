import type { ShopDetails } from '../../sync/report/shop-details.ts';
import type { ShopDataJson } from './shop-data-json.ts';

/** What the charts, and machines, are given of a shop. */
export function shopData({ report, asOf, calendar, daily, requestsByHour }: ShopDetails): ShopDataJson {
  return {
    version: 1,
    shop: report.shop.shopKey,
    as_of: asOf.toString({ smallestUnit: 'second' }),
    first_day: calendar?.firstDay.toString() ?? null,
    states: calendar?.states ?? [],
    orders: daily.orders,
    sales: daily.sales,
    requests_by_hour: requestsByHour,
  };
}
